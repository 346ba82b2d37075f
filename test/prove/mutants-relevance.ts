/** Mutants of relevance per layer, of contexts deepened by it, and of the metrics of summaries. */
import type { Mutant } from './mutant.ts';

export const RELEVANCE_MUTANTS: readonly Mutant[] = [
  {
    id: 'SUM-09',
    file: 'core/context/relevance.ts',
    find: 'if (query === null || contextVector?.generation !== query.generation) return null;',
    replace: 'if (query === null || contextVector === null) return null;',
    breaks: 'vectors of different generations are compared',
  },
  {
    id: 'SUM-10',
    file: 'core/context/context.ts',
    find: 'for (const { part, depth } of steps) if (!grow(part, depth)) break;',
    replace: 'for (const { part, depth } of steps) grow(part, depth);',
    breaks: 'a less relevant layer is deeper because it is shorter',
  },
  {
    id: 'SUM-10',
    file: 'core/context/context.ts',
    find: 'return b.relevance - a.relevance || byPrecedence(a, b) || byRelevance(a, b);',
    replace: 'return byPrecedence(a, b) || byRelevance(a, b);',
    breaks: 'layers are deepened by precedence alone',
  },
  {
    id: 'SUM-10',
    file: 'core/context/relevance-words.ts',
    find: 'wholes.put(owner, terms.flat());',
    replace: '',
    breaks: 'words spread over several sentences count for nothing',
  },
  {
    id: 'SUM-13',
    file: 'activities/refresh-metrics.ts',
    find: "metrics.count('memory_summary_generations_total', { layer, depth, trigger });",
    replace: '',
    breaks: 'generations are not counted',
  },
  {
    id: 'SUM-13',
    file: 'activities/commit-batch.ts',
    find: 'countGeneration(ports.metrics, summary, scope.lease);',
    replace: '',
    breaks: 'a commit counts nothing',
  },
  {
    id: 'SUM-14',
    file: 'core/summary-cache.ts',
    find: 'if (known?.version === version && ',
    replace: 'if (known !== undefined && ',
    breaks: 'what is in memory is served whatever was written since',
  },
  {
    id: 'SUM-14',
    file: 'core/summary-cache.ts',
    find: 'if (kept.size > SUMMARIES_KEPT_MAX && oldest !== undefined) kept.delete(oldest);',
    replace: '',
    breaks: 'the memory of summaries grows without bound',
  },
  {
    id: 'SUM-17',
    file: 'activities/refresh-metrics.ts',
    find: "metrics.count('memory_batch_calls_saved_total', label, items - 1);",
    replace: "metrics.count('memory_batch_calls_saved_total', label, items);",
    breaks: 'a call of its own for each item saves calls',
  },
  {
    id: 'SUM-21',
    file: 'api/summaries.ts',
    find: "metrics.count('memory_summary_stale_reads_total', { layer, reason });",
    replace: '',
    breaks: 'uses of stale summaries are not counted',
  },
];

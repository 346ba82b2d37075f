/**
 * Behaviour broken on purpose, one change each: whoever removes what a requirement asks for must
 * see a test of that requirement fail. `npm run prove -- mutants` tries them all.
 */
import { MEMORY_MUTANTS } from './memory-mutants.ts';
import { ADD_MUTANTS } from './mutants-adds.ts';
import { BUDGET_MUTANTS } from './mutants-budget.ts';
import { GROUNDING_MUTANTS } from './mutants-grounding.ts';
import { MODEL_MUTANTS } from './mutants-models.ts';
import { REACH_MUTANTS } from './mutants-reach.ts';
import { REFRESH_MUTANTS } from './mutants-refresh.ts';
import { RELEVANCE_MUTANTS } from './mutants-relevance.ts';
import { RESOURCE_MUTANTS } from './mutants-resources.ts';
import { SEGMENT_MUTANTS } from './mutants-segments.ts';
import { VARIANT_MUTANTS } from './mutants-variants.ts';
import { KUBERNETES_MUTANTS } from './mutants-kubernetes.ts';
import { OPERATOR_MACHINERY_MUTANTS } from './mutants-operator-machinery.ts';
import { ERASURE_MUTANTS } from './mutants-erasure.ts';
import { OPERATOR_STORE_MUTANTS } from './mutants-operator-store.ts';
import { PROVIDED_MODEL_MUTANTS } from './mutants-provided-models.ts';
import { PROBE_MUTANTS } from './mutants-probes.ts';
import { CLUSTER_OPERATOR_MUTANTS } from './mutants-cluster-operator.ts';
import { CLAIM_MUTANTS } from './mutants-claims.ts';
import { OPERATOR_TERM_MUTANTS } from './mutants-operator-terms.ts';
import type { Mutant } from './mutant.ts';

const OTHER_MUTANTS: readonly Mutant[] = [
  {
    id: 'SUM-01',
    file: 'core/compose.ts',
    find: 'if (longer.tokens > limit) break;',
    replace: 'if (longer.tokens > 10 * limit) break;',
    breaks: 'a depth is longer than its cap',
  },
  {
    id: 'SUM-02',
    file: 'providers/sqlite/summaries.ts',
    find: 'tables.summaries.put(summary);',
    replace: "tables.summaries.put({ ...summary, sourceHash: '' });",
    breaks: 'a summary loses its source hash',
  },
  {
    id: 'SUM-04',
    file: 'core/claim.ts',
    find: 'const equal = summary.sourceHash === record.sourceHash &&',
    replace: 'const equal = summary.sourceHash === null &&',
    breaks: 'an unchanged scope is summarised again',
  },
  {
    id: 'SUM-04',
    file: 'core/scope-change.ts',
    find: 'committed.generated ? now : record.generatedAt',
    replace: 'now',
    breaks: 'a check without a change counts as a generation',
  },
  {
    id: 'SUM-05',
    file: 'core/due.ts',
    find: 'record.changes >= policy.layer.updateOnChanges',
    replace: 'record.changes > policy.layer.updateOnChanges',
    breaks: 'the threshold of changes is one too high',
  },
  {
    id: 'SUM-06',
    file: 'core/compose.ts',
    find: 'if (depths.includes(depth))',
    replace: 'if (depths.length > 0)',
    breaks: 'every depth is made, configured or not',
  },
  {
    id: 'SUM-07',
    file: 'providers/sqlite/summaries.ts',
    find: 'summaries.find(tenant, layer, scopeId, audience)',
    replace: "summaries.find(tenant, layer, scopeId, '')",
    breaks: 'every audience gets the general summary',
  },
  {
    id: 'SUM-08',
    file: 'core/identifiers.ts',
    find: 'for (const layer of LAYERS) {',
    replace: 'for (const layer of LAYERS.toReversed()) {',
    breaks: 'layers come in the reverse of their precedence',
  },
  {
    id: 'SUM-09',
    file: 'activities/context-vector.ts',
    find: 'values === undefined ? null : { generation, values: [...values] }',
    replace: 'null',
    breaks: 'a summary has no vector',
  },
  {
    id: 'SUM-10',
    file: 'core/context/relevance.ts',
    find: 'relevance: mean(semanticScore === null ? words : [semanticScore, ...words]),',
    replace: 'relevance: 0,',
    breaks: 'no summary is relevant',
  },
  {
    id: 'SUM-11',
    file: 'core/staleness.ts',
    find: 'summary.sourceHash === scope.sourceHash &&',
    replace: '',
    breaks: 'a summary with another source hash is fresh',
  },
  {
    id: 'SUM-12',
    file: 'core/staleness.ts',
    find: 'return since <= now ?',
    replace: 'return since < 0 ?',
    breaks: 'no age makes a summary stale',
  },
  {
    id: 'SUM-15',
    file: 'core/budget.ts',
    find: 'spent + reserved[measure] + requested[measure] <= limit',
    replace: 'spent + requested[measure] <= limit',
    breaks: 'what is reserved does not count against the limit',
  },
  {
    id: 'SUM-15',
    file: 'core/budget.ts',
    find: 'const spent = used ?? entry.amount;',
    replace: 'const spent = entry.amount;',
    breaks: 'settling spends the whole reserve',
  },
  {
    id: 'SUM-16',
    file: 'core/plan-batches.ts',
    find: 'if (room !== undefined) {',
    replace: "if (room !== undefined && batchKey(scope, model) === '') {",
    breaks: 'no two scopes share a model call',
  },
  {
    id: 'SUM-17',
    file: 'core/plan-batches.ts',
    find: 'PRECEDENCE[a.layer] - PRECEDENCE[b.layer]',
    replace: 'PRECEDENCE[b.layer] - PRECEDENCE[a.layer]',
    breaks: 'the company comes before the agent',
  },
  {
    id: 'SUM-18',
    file: 'core/plan-batches.ts',
    find: 'return JSON.stringify([scope.tenant, model, ...owner]);',
    replace: 'return JSON.stringify([scope.tenant, ...owner]);',
    breaks: 'scopes of two models share a call',
  },
  {
    id: 'SUM-19',
    file: 'core/source-change.ts',
    find: '[sourceLane(digest, before), sourceLane(digest, after)]',
    replace: '[sourceLane(digest, after)]',
    breaks: 'changed content leaves its old hash behind',
  },
  {
    id: 'SUM-20',
    file: 'core/scope-change.ts',
    find: 'change.dropped.length > 0 ? urgentMark(record, now) : record.urgentAt',
    replace: 'record.urgentAt',
    breaks: 'a deleted source is not urgent',
  },
  {
    id: 'SUM-20',
    file: 'core/due.ts',
    find: 'if (marked !== null) return',
    replace: 'if (marked === undefined) return',
    breaks: 'a clean-up is regenerated again and again',
  },
  {
    id: 'SUM-21',
    file: 'core/serve.ts',
    find: "const stale = freshness.kind === 'Stale';",
    replace: "const stale = freshness.kind === 'Fresh' && false;",
    breaks: 'a stale summary is served as fresh',
  },
  {
    id: 'TOK-06',
    file: 'providers/tokenizers/gpt-tokenizer.ts',
    find: '{ disallowedSpecial: new Set<string>() }',
    replace: '{}',
    breaks: 'text like a special token is refused',
  },
  {
    id: 'TOK-07',
    file: 'providers/tokenizers/token-counter.ts',
    find: 'codePoints -= 1;',
    replace: 'codePoints -= 0;',
    breaks: 'a character outside the basic plane counts twice',
  },
  {
    id: 'ENG-01',
    file: 'core/claim.ts',
    find: 'summary?.facts.flatMap((fact) => fact.sources)',
    replace: 'summary?.facts.flatMap((fact) => fact.sources.slice(1))',
    breaks: 'a fact forgets its first source',
  },
  {
    id: 'ENG-02',
    file: 'activities/commit-batch.ts',
    find: "type: 'memory_summary_created',",
    replace: "type: 'memory_summary_made',",
    breaks: 'the event of a new summary has another name',
  },
  {
    id: 'ENG-03',
    file: 'core/context/context-render.ts',
    find: "section('Question', [input.query]),",
    replace: "section('Question', []),",
    breaks: 'the query is left out of the context',
  },
  {
    id: 'ENG-04',
    file: 'core/context/context.ts',
    find: 'hotTurns: selection.hotTurns.slice(1)',
    replace: 'hotTurns: selection.hotTurns.slice(0, -1)',
    breaks: 'the newest turn is trimmed first',
  },
  {
    id: 'ENG-05',
    file: 'core/policy.ts',
    find: 'maxTokens: 3_000,',
    replace: 'maxTokens: 4_000,',
    breaks: 'the default limit of a context is another',
  },
  {
    id: 'ENG-06',
    file: 'core/context/context-render.ts',
    find: "    .join('\\n\\n');",
    replace: "    .join('\\n\\n') + String(performance.now());",
    breaks: 'the same parts give another text each time',
  },
  {
    id: 'ENG-05',
    file: 'api/context.ts',
    find: 'Math.min(maxTokens ?? context.maxTokens, context.maxTokens)',
    replace: 'maxTokens ?? context.maxTokens',
    breaks: "a caller may go beyond the tenant's limit",
  },
  {
    id: 'ENG-09',
    file: 'api/context.ts',
    find: 'estimatedUsed: assembled.tokens',
    replace: 'estimatedUsed: 0',
    breaks: 'an answer does not say how many tokens it uses',
  },
  {
    id: 'ENG-10',
    file: 'core/context/context.ts',
    find: 'while (required > input.limit) {',
    replace: 'while (required > input.limit + 20) {',
    breaks: 'a context is longer than its limit',
  },
  {
    id: 'TMP-01',
    file: 'core/scope-failure.ts',
    find: 'if (attempts >= ATTEMPTS_MAX) {',
    replace: 'if (attempts > ATTEMPTS_MAX) {',
    breaks: 'a failing scope is tried once too often',
  },
  {
    id: 'TMP-02',
    file: 'providers/sqlite/answers.ts',
    find: 'ORDER BY text IS NULL, at DESC',
    replace: 'ORDER BY at DESC',
    breaks: 'a paid answer that still has its text is not found',
  },
  {
    id: 'TMP-02',
    file: 'providers/sqlite/accounts.ts',
    find: "if (known?.state === 'Reserved') return { kind: 'Reserved' };",
    replace: '',
    breaks: 'a repeated attempt does not find its reservation',
  },
  {
    id: 'TMP-03',
    file: 'core/window.ts',
    find: 'pending: soon.length,',
    replace: 'pending: 0,',
    breaks: 'the Temporal UI shows nothing waiting',
  },
  {
    id: 'TMP-04',
    file: 'workflows/tenant-refresh.ts',
    find: 'const window = await activities.readWindow({ tenant });',
    replace:
      'await condition(() => false, 1); const window = await activities.readWindow({ tenant });',
    breaks: 'recorded histories meet a timer that they do not know',
  },
  {
    id: 'TMP-05',
    file: 'providers/sqlite/scopes.ts',
    find: 'ORDER BY since, tenant LIMIT ?',
    replace: 'ORDER BY since DESC, tenant LIMIT ?',
    breaks: 'who waits longest comes last',
  },
  {
    id: 'K8S-01',
    file: 'crds/memory-tenant.ts',
    find: "}).default('Reject'),",
    replace: "}).default('ServeStale'),",
    breaks: 'a budget that is used up is refused by default no more',
  },
  {
    id: 'K8S-02',
    file: 'operator/plan.ts',
    find: 'if (held?.hash === hash) {',
    replace: "if (held?.hash === 'no hash') {",
    breaks: 'an equal policy is applied again',
  },
  {
    id: 'K8S-04',
    file: 'core/policy-claim.ts',
    find: 'if (before?.hash === hash && isSameOwner',
    replace: "if (before?.hash === 'no hash' && isSameOwner",
    breaks: 'the same policy is written again',
  },
];

export const MUTANTS: readonly Mutant[] = [
  ...OTHER_MUTANTS,
  ...MEMORY_MUTANTS,
  ...ADD_MUTANTS,
  ...REACH_MUTANTS,
  ...BUDGET_MUTANTS,
  ...GROUNDING_MUTANTS,
  ...MODEL_MUTANTS,
  ...REFRESH_MUTANTS,
  ...RELEVANCE_MUTANTS,
  ...RESOURCE_MUTANTS,
  ...SEGMENT_MUTANTS,
  ...VARIANT_MUTANTS,
  ...OPERATOR_TERM_MUTANTS,
  ...CLAIM_MUTANTS,
  ...KUBERNETES_MUTANTS,
  ...OPERATOR_MACHINERY_MUTANTS,
  ...OPERATOR_STORE_MUTANTS,
  ...ERASURE_MUTANTS,
  ...PROVIDED_MODEL_MUTANTS,
  ...PROBE_MUTANTS,
  ...CLUSTER_OPERATOR_MUTANTS,
];

/** Named by a test and without a mutant yet. Kept short: a name here is work that is owed. */
export const WITHOUT_MUTANT: readonly string[] = [];

/** Mutants of how the lines of a dream are compared, counted and kept. */
import type { Mutant } from './mutant.ts';

export const DREAM_LINE_MUTANTS: readonly Mutant[] = [
  {
    id: 'DREAM-03',
    file: 'core/dreams/dream-plan.ts',
    find: "if (!answer.isWhole) return 'BrokeOff';",
    replace: '',
    breaks: 'what an answer that broke off did not come to is taken for read',
  },
  {
    id: 'DREAM-03',
    file: 'core/dreams/dream-plan.ts',
    find: 'const isForgotten = answer.lines.length === 0;',
    replace: 'const isForgotten = false;',
    breaks: 'an answer without a line takes all lines away',
  },
  {
    id: 'DREAM-03',
    file: 'core/dreams/dream-plan.ts',
    find: 'const lines = groupedByHeading(fitted.lines);',
    replace: 'const { lines } = fitted;',
    breaks: 'to save MEMORY.md unchanged is an edit',
  },
  {
    id: 'DREAM-03',
    file: 'core/dreams/unchanged-memory.ts',
    find: 'lines.every(({ id, text }) => before.get(id) === text)',
    replace: 'lines.every(({ id }, at) => base?.lines[at]?.id === id)',
    breaks: 'another order alone is a new version',
  },
  {
    id: 'DREAM-06',
    file: 'core/dreams/lost-lines.ts',
    find: 'if (own === undefined) joined += 1;',
    replace: 'if (own === undefined) joined += 0;',
    breaks: 'one line that is about all others empties MEMORY.md unguarded',
  },
  {
    id: 'DREAM-06',
    file: 'core/dreams/same-line.ts',
    find: "(one.said !== '' && one.said === other.said)",
    replace: 'sharedOf(one.words, other.words) > 0.75',
    breaks: 'a changed fact is taken for the old line',
  },
  {
    id: 'DREAM-06',
    file: 'core/dreams/same-line.ts',
    find: 'by.clauses.has(line.said)',
    replace: 'line.words.isSubsetOf(by.words)',
    breaks: 'a line goes whose words another one has of somebody else',
  },
  {
    id: 'DREAM-06',
    file: 'core/dreams/dream-grounding.ts',
    find: 'judged.fact === null || !isNews(cited)',
    replace: 'judged.fact === null',
    breaks: 'what was read before is made lines anew, and lines are told in other words',
  },
  {
    id: 'DREAM-06',
    file: 'providers/extractive/dream-model.ts',
    find: 'new Map([...repeatedOrders(all, kept.length), ...changed])',
    replace: 'new Map(changed)',
    breaks: 'what is told night by night stands there as often',
  },
  {
    id: 'DREAM-02',
    file: 'providers/extractive/speaker-line.ts',
    find: ' || IS_LABEL.test(speaker)',
    replace: '',
    breaks: 'a note under a label is taken for talk and left out',
  },
];

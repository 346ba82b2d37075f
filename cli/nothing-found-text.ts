/** What a command prints where nothing fits a question. */
import type { SearchAnswer } from '#api/schemas/search.ts';
import { thresholdBelow } from '#core/search/search-defaults.ts';
import { count, shellWord } from './terminal-text.ts';

/** Says what a search of a tenant without a hit looked at, and what would open more. */
export function nothingFoundText(answer: SearchAnswer, tenant: string): string {
  const { nothingFound } = answer;
  if (nothingFound === null) return nearestText(answer);
  const { scopes, sessions, lines, moreIdentifiers, elsewhere } = nothingFound;
  const looked = [
    ...scopes.map(({ layer, id, memories }) => `${count(memories, 'memory')} of ${layer} ${id}`),
    ...(sessions === 0 ? [] : [count(sessions, 'past session')]),
    ...(lines === 0 ? [] : [count(lines, 'line')]),
  ];
  const options = [
    ...elsewhere.map(({ layer, id }) => `--${layer} ${shellWord(id)}`),
    ...(moreIdentifiers.includes('sessionId') ? ['--session'] : []),
  ];
  const more = options.length === 0 ? '' : ` Other data is under ${options.join(', ')}.`;
  const where =
    looked.length === 0
      ? `The tenant ${tenant} has no data that this call opens.`
      : `In tenant ${tenant}, Varve searched ${looked.join(', ')}.`;
  return `${nearestText(answer)} ${where}${more}`;
}

function nearestText({ nearestMisses: [nearest] }: SearchAnswer): string {
  if (nearest === undefined) return 'Nothing found.';
  const threshold = thresholdBelow(nearest.score);
  if (threshold === null) return 'Nothing found that is near the question; try other words.';
  const score = nearest.score.toFixed(2);
  return (
    `Nothing found above the threshold. The nearest has ${score}; ` +
    `try --threshold ${threshold}.`
  );
}

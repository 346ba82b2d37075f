import { expect, test } from 'vitest';
import { nothingFoundText } from '#cli/nothing-found-text.ts';

/** An answer without a hit whose nearest text has a score. */
function answerOf(score: number) {
  return {
    hits: [],
    searchedLayers: ['user' as const],
    skippedLayers: [],
    duplicates: [],
    degraded: false,
    degradedReason: null,
    nearestMisses: [{ id: 'm', score }],
    nothingFound: null,
    paths: [],
  };
}

test.each([
  [0.68, 'Nothing found above the threshold. The nearest has 0.68; try --threshold 0.6.'],
  [0.04, 'Nothing found that is near the question; try other words.'],
])('a search whose nearest text has the score %d says what to try', (score, text) => {
  expect(nothingFoundText(answerOf(score), 'acme')).toBe(text);
});

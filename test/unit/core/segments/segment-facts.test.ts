import { describe, expect, test } from 'vitest';
import { chooseFacts, factsWithin, offeredFacts } from '#core/segments/segment-facts.ts';
import type { Fact } from '#core/records/summary.ts';
import { digest, NOW } from '#test/conformance/samples.ts';

/** A token a word: what is counted can be seen. */
const tokens = { name: 'words', count: (text: string) => text.split(' ').length };

const factOf = (text: string, at = NOW): Fact => ({
  text,
  sources: ['m-1'],
  quote: null,
  speaker: null,
  trust: 'stated',
  at,
});
const FIRST = factOf('Ann lives in Oslo.', NOW);
const SECOND = factOf('Bob has two cats.', NOW + 2);
const THIRD = factOf('The shop is closed.', NOW + 1);
const OFFERED = offeredFacts(
  digest,
  [
    { segmentId: 'a', facts: [FIRST, SECOND] },
    { segmentId: 'b', facts: [THIRD] },
  ],
  tokens,
);

const choose = (kept: string[] | null, tokensMax = 100, malformed = 0) =>
  chooseFacts(OFFERED, { kept, malformed }, tokensMax);

describe('selected facts', () => {
  test('are the offered facts, word for word, in the selected order', () => {
    expect(OFFERED.map(({ source }) => [source.id, source.text])).toEqual([
      ['a/0', FIRST.text],
      ['a/1', SECOND.text],
      ['b/0', THIRD.text],
    ]);
    const { facts } = choose(['b/0', 'a/0', 'b/0']);
    expect(facts).toEqual([THIRD, FIRST]);
    expect(facts[0]).toBe(THIRD);
  });

  test('are limited to the room, but at least one', () => {
    expect(choose(['b/0', 'a/0', 'a/1'], 8).facts).toEqual([THIRD, FIRST]);
    expect(choose(['b/0', 'a/0', 'a/1'], 7).facts).toEqual([THIRD]);
    expect(choose(['b/0', 'a/0'], 1).facts).toEqual([THIRD]);
    expect(factsWithin([FIRST, SECOND], 4, tokens)).toEqual([FIRST]);
  });

  test.each<[string, string[] | null, number, readonly Fact[], boolean]>([
    [
      'stay sufficient with one unknown id among many',
      ['a/0', 'a/1', 'b/0', 'a/9'],
      0,
      [FIRST, SECOND, THIRD],
      true,
    ],
    ['are insufficient with too many unknown ids', ['a/0', 'x/1', 'x/2'], 0, [FIRST], false],
    ['are insufficient with ids of another item', ['c/0'], 0, [], false],
    ['are insufficient with malformed ids, which count as unknown', ['a/0'], 2, [FIRST], false],
    ['are insufficient without a selection', null, 0, [], false],
    ['are the newest facts for an empty selection', [], 0, [SECOND, THIRD, FIRST], true],
  ])('%s', (_, kept, malformed, facts, sufficient) => {
    expect(choose(kept, 100, malformed)).toMatchObject({ facts, sufficient });
  });
});

import { describe, expect, test } from 'vitest';
import type { AnsweredItem } from '#core/prompt/parse-answer.ts';
import { isTooLong, judgeFacts, type ItemJudgment } from '#core/refresh/judge-summary-facts.ts';
import { memorySource } from '#core/sources/source.ts';
import { DEPTH_TOKENS_MAX, type Depth } from '#core/records/summary.ts';
import { digest, idOf, memoryOf, summaryOf, userScope } from '#test/conformance/samples.ts';

const tokens = { name: 'words', count: (text: string) => text.split(' ').length };
const TEXTS = ['Ann lives in Oslo.', 'Bob has two cats.', 'The shop is closed.'];
const SOURCES = TEXTS.map((content, n) => memorySource(memoryOf('acme', n, { content })));

const saying = (n: number, id = idOf(n)) => ({ text: TEXTS[n] ?? '', sources: [id] });
const item = (facts: AnsweredItem['facts'], malformed = 0): AnsweredItem => ({
  facts,
  kept: null,
  malformed,
  isCut: false,
});
const shown = (...numbers: number[]) =>
  numbers.map((n) => ({ id: idOf(n), contentHash: SOURCES[n]?.contentHash ?? '' }));
const changed = (n: number) => ({ id: idOf(n), contentHash: digest('before') });

describe('items', () => {
  test.each<
    [
      string,
      AnsweredItem | undefined,
      ReturnType<typeof shown> | null,
      ItemJudgment['verdict'],
      number,
    ]
  >([
    ['a supported item is good', item([saying(0), saying(1)]), null, 'Good', 2],
    ['a missing item is refused', undefined, null, 'Refused', 0],
    ['an item without facts is good', item([]), null, 'Good', 0],
    ['an item with only malformed facts is refused', item([], 1), null, 'Refused', 0],
    ['a selection instead of facts is refused', item(null), null, 'Refused', 0],
    [
      'one of three facts that fails is dropped',
      item([saying(0), saying(1), saying(2, idOf(9))]),
      null,
      'Good',
      2,
    ],
    [
      'one of three facts that is malformed is dropped',
      item([saying(0), saying(1)], 1),
      null,
      'Good',
      2,
    ],
    ['an item without a usable fact is refused', item([saying(0, idOf(9))], 1), null, 'Refused', 0],
    ['facts of unchanged sources are kept', item([saying(0), saying(1)]), shown(0, 1), 'Good', 2],
    [
      'a changed source costs only its own facts',
      item([saying(0), saying(1)]),
      [...shown(0), changed(1)],
      'Good',
      1,
    ],
    [
      'a deleted source costs only its own facts',
      item([saying(0), saying(1, idOf(9))]),
      [...shown(0), changed(9)],
      'Good',
      1,
    ],
    [
      'an item is outdated if all its sources changed',
      item([saying(0)]),
      [changed(0)],
      'Outdated',
      0,
    ],
    [
      'a fact of a source that was not shown is dropped',
      item([saying(0), saying(1, idOf(9))]),
      shown(0),
      'Good',
      1,
    ],
  ])('%s', (_, answered, before, verdict, facts) => {
    const judged = judgeFacts(answered, { sources: SOURCES, shown: before, tokens });
    expect(judged).toMatchObject({ verdict });
    expect(judged.facts).toHaveLength(facts);
  });

  test('a dropped fact has a reason', () => {
    const answered = item([saying(0), saying(1)]);
    const { dropped } = judgeFacts(answered, { sources: SOURCES, shown: [changed(1)], tokens });
    expect(dropped).toEqual([{ text: TEXTS[1], reason: 'SourceChanged' }]);
  });

  test('a fact that is too long is cut, and its full text is set aside', () => {
    const long = Array.from({ length: 200 }, (_, n) => `word${String(n)}`).join(' ');
    const content = `Ann lives in Oslo with ${long}.`;
    const sources = [memorySource(memoryOf('acme', 0, { content }))];
    const answered = item([{ text: content, sources: [idOf(0)] }]);
    const judged = judgeFacts(answered, { sources, shown: null, tokens });
    const max = DEPTH_TOKENS_MAX.paragraph;
    expect(judged.verdict).toBe('Good');
    expect(tokens.count(judged.facts[0]?.text ?? '')).toBeLessThanOrEqual(max);
    expect(judged.dropped).toEqual([{ text: content, reason: 'TooLong' }]);
    expect(isTooLong(judged, ['detailed'], tokens)).toBe(true);
  });

  test.each<[boolean, string, number, number, readonly Depth[]]>([
    [false, 'fits the shortest text', 10, 10, ['sentence', 'detailed']],
    [true, 'does not fit the shortest text', 60, 60, ['sentence', 'detailed']],
    [false, 'fits the only requested text', 60, 60, ['paragraph']],
    [false, 'is long, but beside a gist that fits', 60, 10, ['sentence']],
    [true, 'fits, but beside a gist that does not', 10, 60, ['sentence']],
  ])('an answer is too long (%s) if its first fact %s', (isLong, _, first, gist, depths) => {
    const [fact] = summaryOf(userScope('acme'), ['m-1']).facts;
    if (fact === undefined) throw new Error('There is no fact.');
    const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ');
    const facts = [
      { ...fact, text: words(first) },
      { ...fact, text: words(gist), depths: ['sentence' as const] },
    ];
    const judged: ItemJudgment = { facts, dropped: [], verdict: 'Good', isCut: false };
    expect(isTooLong(judged, depths, tokens)).toBe(isLong);
    expect(isTooLong({ ...judged, facts: [] }, depths, tokens)).toBe(false);
  });
});

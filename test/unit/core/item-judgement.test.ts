import { describe, expect, test } from 'vitest';
import type { AnsweredItem } from '#core/prompt/parse-answer.ts';
import { judgeFacts, type ItemJudgement } from '#core/refresh/item-judgement.ts';
import { memorySource } from '#core/sources/source.ts';
import { digest, idOf, memoryOf } from '#test/conformance/samples.ts';

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
      ItemJudgement['verdict'],
      number,
    ]
  >([
    ['what is supported is good', item([saying(0), saying(1)]), null, 'Good', 2],
    ['a missing item is refused', undefined, null, 'Refused', 0],
    ['that there are no facts is an answer', item([]), null, 'Good', 0],
    ['a list of what is no fact is none', item([], 1), null, 'Refused', 0],
    ['an item of a choice is refused', item(null), null, 'Refused', 0],
    [
      'one of three that fails costs itself',
      item([saying(0), saying(1), saying(2, idOf(9))]),
      null,
      'Good',
      2,
    ],
    ['so does one of three that is malformed', item([saying(0), saying(1)], 1), null, 'Good', 2],
    ['nothing usable is refused', item([saying(0, idOf(9))], 1), null, 'Refused', 0],
    ['shown as they are', item([saying(0), saying(1)]), shown(0, 1), 'Good', 2],
    [
      'a changed source costs its facts only',
      item([saying(0), saying(1)]),
      [...shown(0), changed(1)],
      'Good',
      1,
    ],
    [
      'a source that is gone does too',
      item([saying(0), saying(1, idOf(9))]),
      [...shown(0), changed(9)],
      'Good',
      1,
    ],
    ['where all changed, nothing was wrong', item([saying(0)]), [changed(0)], 'Outdated', 0],
    ['what was never shown is dropped', item([saying(0), saying(1, idOf(9))]), shown(0), 'Good', 1],
  ])('%s', (_, answered, before, verdict, facts) => {
    const judged = judgeFacts(answered, { sources: SOURCES, shown: before, tokens });
    expect(judged).toMatchObject({ verdict });
    expect(judged.facts).toHaveLength(facts);
  });

  test('what was dropped says why', () => {
    const answered = item([saying(0), saying(1)]);
    const { dropped } = judgeFacts(answered, { sources: SOURCES, shown: [changed(1)], tokens });
    expect(dropped).toEqual([{ text: TEXTS[1], reason: 'SourceChanged' }]);
  });
});

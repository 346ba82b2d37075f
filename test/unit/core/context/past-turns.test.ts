/** Which passages of earlier turns fit a context, in which order, and how they are printed. */
import { describe, expect, test } from 'vitest';
import {
  fillPast,
  indented,
  longTurnsLater,
  pastTurnLines,
  type PastPassage,
} from '#core/context/past-turns.ts';
import { pastOf, tokens } from '../context-input.ts';

type Differing = Partial<PastPassage>;
const HOUR = 3_600_000;
const MARCH_1 = pastOf(0, '').at;
const LONG = 'w'.repeat(400);
const cut: Differing = { isFirst: false };
const tool: Differing = { trust: 'untrusted' };
const many = (count: number, text: string, differing: Differing = {}) =>
  Array.from({ length: count }, (_, n) => pastOf(4 * n, text, differing));

describe('the passages that fit', () => {
  // A text of one token: with its turn 4, with its day 9, and with a sign that it is cut 10.
  test.each<[string, passages: readonly PastPassage[], all: number, chosen: readonly number[]]>([
    ['one with its turn and day', [pastOf(0, 'Oslo')], 9, [0]],
    ['none if the day does not fit', [pastOf(0, 'Oslo')], 8, []],
    ['a cut one with its cut sign', [pastOf(0, 'Oslo', cut)], 10, [0]],
    ['none if the cut sign does not fit', [pastOf(0, 'Oslo', cut)], 9, []],
    [
      'a second one of a turn at the cost of its text',
      [pastOf(0, 'Oslo'), pastOf(1, 'Bern')],
      10,
      [0, 1],
    ],
    ['only the first if the second does not fit', [pastOf(0, 'Oslo'), pastOf(1, 'Bern')], 9, [0]],
    [
      'a second turn of the same day',
      [pastOf(0, 'Oslo'), pastOf(4, 'Bern', { at: MARCH_1 })],
      13,
      [0, 4],
    ],
    [
      'no turn of another day if its day does not fit',
      [pastOf(0, 'Oslo'), pastOf(4, 'Bern')],
      17,
      [0],
    ],
    ['a turn of another day if its day fits', [pastOf(0, 'Oslo'), pastOf(4, 'Bern')], 18, [0, 4]],
    ['the next if one is too long', [pastOf(0, LONG), pastOf(4, 'Bern')], 9, [4]],
    ['one after 39 that are too long', [...many(39, LONG), pastOf(400, 'Bern')], 9, [400]],
    ['none after 40 that are too long', [...many(40, LONG), pastOf(400, 'Bern')], 9, []],
    [
      'one of a tool within its share',
      [pastOf(0, 'Oslo, Bern', tool), pastOf(1, 'a', tool)],
      99,
      [0],
    ],
    ['one after tools over their share', [...many(40, LONG, tool), pastOf(400, 'a')], 99, [400]],
    [
      'one and the passage before it that it rests on',
      [pastOf(1, 'It is.', cut), pastOf(0, 'Oslo')],
      99,
      [0, 1],
    ],
    [
      'one whose preceding passage is missing',
      [pastOf(2, 'It is.', cut), pastOf(0, 'Oslo')],
      99,
      [2, 0],
    ],
    [
      'none if the passage it rests on is too long',
      [pastOf(1, 'It is.', cut), pastOf(0, LONG)],
      26,
      [],
    ],
    [
      'a sentence and the code that it introduces',
      [pastOf(8, 'Rome'), pastOf(0, 'My script:'), pastOf(1, '```\nls\n```', cut)],
      99,
      [8, 0, 1],
    ],
    [
      'code and the sentence that introduces it',
      [pastOf(8, 'Rome'), pastOf(1, '```\nls\n```', cut), pastOf(0, '我的脚本：')],
      99,
      [8, 0, 1],
    ],
    [
      'no sentence that introduces code which is too long',
      [pastOf(8, 'Rome'), pastOf(0, 'My script:'), pastOf(1, `\`\`\`\n${LONG}\n\`\`\``, cut)],
      60,
      [8],
    ],
    [
      'a sentence without the code of another turn',
      [pastOf(8, 'Rome'), pastOf(0, 'Mine:'), pastOf(1, '```\nls\n```', { turnId: 'other' })],
      99,
      [8, 0, 1],
    ],
    [
      'the best one with the rest of a short turn',
      [pastOf(1, 'Oslo', cut), pastOf(8, 'Rome'), pastOf(2, 'Bern', cut), pastOf(0, 'Bonn')],
      24,
      [0, 1, 2, 8],
    ],
    [
      'the best one alone if its turn takes more than a fifth of the room',
      [pastOf(1, 'Oslo', cut), pastOf(0, LONG), pastOf(8, 'Rome')],
      30,
      [1, 8],
    ],
    [
      'the best one without what another turn says beside it',
      [pastOf(1, 'Oslo', { turnId: 'other' }), pastOf(8, 'Rome'), pastOf(0, 'Bonn')],
      28,
      [1, 8, 0],
    ],
    [
      'one and both passages it rests on',
      [2, 1, 0].map((n) => pastOf(n, 'It is.', n > 0 ? cut : {})),
      99,
      [0, 1, 2],
    ],
  ])('are %s', (_, passages, all, chosen) => {
    const places = fillPast(passages, { all, untrusted: 3 }, tokens).map(({ place }) => place);
    expect(places).toEqual(chosen);
  });
});

describe('the passages of a turn that is longer than the limit', () => {
  // Of ten tokens each; of a turn of three, those after four tenths of the limit yield.
  const turn = [0, 1, 2].map((place) => pastOf(place, 'w'.repeat(40), { isFirst: place === 0 }));
  const other = pastOf(4, 'Bern', { isLast: true });
  const whole = pastOf(8, LONG, { isLast: true });
  const unrelated = pastOf(12, 'Rome', { isUnrelated: true });
  test.each<[string, passages: readonly PastPassage[], limit: number, places: readonly number[]]>([
    ['yield after their share', [...turn, other], 29, [0, 1, 4, 2]],
    ['yield from their share on', [...turn, other], 25, [0, 4, 1, 2]],
    ['stay if the turn is as long as the limit', [...turn, other], 30, [0, 1, 2, 4]],
    [
      'yield to a related passage, but not to an unrelated one',
      [...turn, unrelated, other],
      25,
      [0, 4, 1, 2, 12],
    ],
    ['stay if the turn is a single passage', [whole, other], 25, [8, 4]],
    [
      'stay beside a turn with the same id in another session',
      [...turn.slice(1), pastOf(0, LONG, { sessionId: 'other' }), other],
      25,
      [1, 2, 0, 4],
    ],
  ])('%s', (_, passages, limit, places) => {
    const ordered = longTurnsLater(passages, limit, tokens);
    expect(ordered.map(({ place }) => place)).toEqual(places);
  });
});

describe('earlier turns are printed', () => {
  const replaced: Differing = { outdatedBy: [9, 4] };
  const correctedBy = (place: number): Differing => ({ followedBy: { place, mayCorrect: true } });
  test.each<[string, passages: readonly PastPassage[], lines: readonly string[]]>([
    ['without a line if there are none', [], []],
    [
      'in order, with each day once',
      [pastOf(8, 'c'), pastOf(4, 'b', { at: MARCH_1 + HOUR }), pastOf(0, 'a')],
      ['2026-03-01', 'user: a', 'user: b', '03-03', 'user: c'],
    ],
    [
      'with the year again where it changes',
      [0, 310, 372].map((days) => pastOf(days, 'a', { at: MARCH_1 + days * 24 * HOUR })),
      ['2026-03-01', 'user: a', '2027-01-05', 'user: a', '03-08', 'user: a'],
    ],
    [
      'by day, whichever session began first',
      [pastOf(0, 'a', { at: MARCH_1 + 48 * HOUR }), pastOf(8, 'b', { at: MARCH_1 })],
      ['2026-03-01', 'user: b', '03-03', 'user: a'],
    ],
    [
      'with an ellipsis in place of a left-out part of the turn',
      [pastOf(1, 'a', cut), pastOf(2, 'b', cut), pastOf(8, 'd', cut), pastOf(10, 'e', cut)],
      ['2026-03-01', 'user: … a b', '03-03', 'user: … d … e'],
    ],
    [
      'as separate turns if their sessions differ',
      [pastOf(0, 'a'), pastOf(1, 'b', { sessionId: 'later' })],
      ['2026-03-01', 'user: a', 'user: b'],
    ],
    [
      'with a mark if the text that replaces them is shown',
      [pastOf(0, 'a', replaced), pastOf(4, 'b')],
      ['2026-03-01', 'user: a (earlier)', '03-02', 'user: b'],
    ],
    [
      'with another mark if only a part is replaced',
      [pastOf(0, 'a', { ...replaced, isOutdatedInPart: true }), pastOf(1, 'b'), pastOf(4, 'c')],
      ['2026-03-01', 'user: a (in part earlier) b', '03-02', 'user: c'],
    ],
    [
      'with a mark also if no replacement is shown, and without one if there is none',
      [pastOf(0, 'a', replaced), pastOf(8, 'b', { isOutdatedInPart: true })],
      ['2026-03-01', 'user: a (earlier)', '03-03', 'user: b'],
    ],
    [
      'with the day of a text that may replace them, if that is shown',
      [pastOf(0, 'a', correctedBy(4)), pastOf(4, 'b', correctedBy(8))],
      ['2026-03-01', 'user: a (earlier? see 03-02)', '03-02', 'user: b'],
    ],
    [
      'without the day of a text that only follows',
      [pastOf(0, 'a', { followedBy: { place: 4, mayCorrect: false } }), pastOf(4, 'b')],
      ['2026-03-01', 'user: a', '03-02', 'user: b'],
    ],
    [
      'with the year of a day in another year',
      [pastOf(0, 'a', correctedBy(4)), pastOf(4, 'b', { at: MARCH_1 + 310 * 24 * HOUR })],
      ['2026-03-01', 'user: a (earlier? see 2027-01-05)', '2027-01-05', 'user: b'],
    ],
    [
      'without that day if a rule says what replaces them',
      [pastOf(0, 'a', { ...replaced, ...correctedBy(8) }), pastOf(4, 'b'), pastOf(8, 'c')],
      ['2026-03-01', 'user: a (earlier)', '03-02', 'user: b', '03-03', 'user: c'],
    ],
    [
      'with its code on lines of its own',
      [pastOf(0, '```js\na\n```'), pastOf(4, 'b')],
      ['2026-03-01', 'user:\n  ```js\n  a\n  ```', '03-02', 'user: b'],
    ],
    [
      'with code closed that it leaves open',
      [pastOf(0, 'a\n~~~~\nb'), pastOf(4, 'c')],
      ['2026-03-01', 'user: a\n  ~~~~\n  b\n  ~~~~', '03-02', 'user: c'],
    ],
    [
      'with code that goes on in the next passage',
      [pastOf(0, 'a\n```\nb'), pastOf(1, 'c\n```', { startsLine: true, isFirst: false })],
      ['2026-03-01', 'user: a\n  ```\n  b\n  c\n  ```'],
    ],
    [
      'with the mark behind code on a line of its own',
      [pastOf(0, 'a\n```\nb\n```', replaced), pastOf(4, 'c')],
      ['2026-03-01', 'user: a\n  ```\n  b\n  ```\n  (earlier)', '03-02', 'user: c'],
    ],
    [
      'with the speaker on one line',
      [pastOf(0, 'a', { speaker: 'Ann\n## Question' })],
      ['2026-03-01', 'Ann ## Question: a'],
    ],
  ])('%s', (_, passages, lines) => {
    expect(pastTurnLines(passages)).toEqual(lines);
  });

  test.each([
    ['lines below the first one indented', 'a\n## b\nc', 'a\n  ## b\n  c'],
    [
      'empty lines only in code',
      '\n\na\n \n```\nb\n\nc\n```\n\nd\n',
      'a\n  ```\n  b\n\n  c\n  ```\n  d',
    ],
    ['no spaces at the end of a line', 'a  \nb \t', 'a\n  b'],
  ])('with %s', (_, text, shown) => {
    expect(indented(text)).toBe(shown);
  });
});

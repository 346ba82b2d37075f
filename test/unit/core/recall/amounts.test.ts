import { describe, expect, test } from 'vitest';
import { amountsIn, mayReplaceAmount } from '#core/recall/sessions/amounts.ts';

describe('the amounts of a passage', () => {
  test.each([
    [
      'are its figures, whatever is before or after',
      'From July it’s £8.25 for 340 g.',
      [8.25, 340],
    ],
    ['with a comma as the decimal sign', 'Der Korpus misst 41,5 cm.', [41.5]],
    [
      'with grouped digits',
      'Er zahlt 18.900, nicht 1,250,000 oder 3’200.',
      [18_900, 1_250_000, 3200],
    ],
    ['in Chinese', '一共1240块', [1240]],
    ['without years', 'In 2026 there were 318 of us.', [318]],
    ['without small whole numbers', 'We are 4, and each pays 9.5.', [9.5]],
    ['without times, dates, ranges and words', 'At 18:30 on 2026-03-10, 12-14 of Q42, v1.2.3.', []],
    ['none in a text without figures', 'Three hundred of us.', []],
  ])('%s', (_, text, expected) => {
    expect(amountsIn(text)).toEqual(expected);
  });
});

describe('an amount may replace another', () => {
  test.each([
    ['of the same size', 318, 347, true],
    ['in either direction', 8.25, 7.95, true],
    ['but not itself', 318, 318, false],
    ['but not one of another size', 318, 640, false],
    ['but a whole one not a fraction', 8, 8.25, false],
  ])('%s', (_, older, newer, expected) => {
    expect(mayReplaceAmount(older, newer)).toBe(expected);
    expect(mayReplaceAmount(newer, older)).toBe(expected);
  });
});

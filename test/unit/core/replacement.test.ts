import { describe, expect, test } from 'vitest';
import { isReplaced } from '#core/replacement.ts';

describe('replacement', () => {
  test.each([
    ['the same words', 'Ann lives in Oslo.', 'Ann lives in Oslo.', false],
    ['other case and punctuation', 'Ann lives in Oslo.', 'ANN lives, in Oslo!', false],
    [
      'one word changed of many',
      'Ann lives in Oslo with two cats',
      'Ann lives in Rome with two cats',
      false,
    ],
    ['something added', 'Ann lives in Oslo', 'Since May Ann lives in Oslo again', false],
    ['a fifth of the pairs kept', 'a b c d e f', 'a b x y z w', false],
    ['less than a fifth kept', 'a b c d e f g', 'a b x y z w v', true],
    ['another statement', 'Ann lives in Oslo', 'The launch moved to December', true],
    ['the words in another order', 'a b c d e f', 'f e d c b a', true],
    ['one word for another', 'Oslo', 'Rome', true],
    ['one word kept', 'Oslo', 'oslo.', false],
    ['nothing left', 'Ann lives in Oslo', '', true],
    ['nothing before', '!!', 'Ann lives in Oslo', true],
  ])('%s', (_, before, after, expected) => {
    expect(isReplaced(before, after)).toBe(expected);
  });
});

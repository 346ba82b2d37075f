import { describe, expect, test } from 'vitest';
import { createRougeWords, rougeN } from '#bench/summary-baselines.ts';

const words = createRougeWords();

describe('ROUGE-N', () => {
  test('ROUGE-1: matches the worked example of Lin 2004, "police kill the gunman"', () => {
    const reference = words('police killed the gunman');
    // Stemmed, all four words of S1 but none of its order is lost: 4 of 4, bigrams 3 of 3.
    expect(rougeN(words('police kill the gunman'), reference, 1)).toEqual({
      precision: 1,
      recall: 1,
      f1: 1,
    });
    // S2 has the same words in another order: only "the gunman" is a shared bigram, 1 of 3.
    const swapped = rougeN(words('the gunman kill police'), reference, 2);
    expect(swapped.recall).toBeCloseTo(1 / 3);
    expect(swapped.f1).toBeCloseTo(1 / 3);
  });

  test('ROUGE-2: counts repeats only as often as the reference has them', () => {
    // Shared: "the" once; precision 1 of 3, recall 1 of 2, F1 = 2 (1/6) / (5/6) = 0.4.
    const score = rougeN(words('the the the'), words('the cat'), 1);
    expect(score.precision).toBeCloseTo(1 / 3);
    expect(score.recall).toBeCloseTo(1 / 2);
    expect(score.f1).toBeCloseTo(0.4);
  });

  test('ROUGE-3: stems words of more than three letters and splits words at punctuation', () => {
    expect(words("We're summarizing 2 meetings; was it?")).toEqual([
      'we',
      're',
      'summar',
      '2',
      'meet',
      'was',
      'it',
    ]);
  });

  test('ROUGE-4: scores zero for an empty text', () => {
    expect(rougeN([], words('a b'), 1)).toEqual({ precision: 0, recall: 0, f1: 0 });
    expect(rougeN(words('a'), [], 2)).toEqual({ precision: 0, recall: 0, f1: 0 });
  });
});

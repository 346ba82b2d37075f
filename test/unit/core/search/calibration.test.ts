import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  measureCalibration,
  calibrate,
  calibrateKeyword,
  UNRELATED_SCORE,
  UNRELATED_SHARE,
} from '#core/search/calibration.ts';
import { QUESTIONS, SENTENCES_REVISION, STATEMENTS } from '#core/search/calibration-sentences.ts';
import { createLexicalEmbedder } from '#providers/lexical/embedder.ts';

function calibrationOf(unrelatedCosine: number) {
  return { generation: 'one', unrelatedCosine, sentences: SENTENCES_REVISION };
}

describe('calibrated scores', () => {
  test.each([
    [0.2, 0.2, UNRELATED_SCORE],
    [0.2, 0.6, 0.85],
    [0.2, 1, 1],
    [0.2, -0.4, 0.35],
    [0.2, -1, 0],
    [0.85, 0.85, UNRELATED_SCORE],
    [0.85, 0.8, 0.6811],
    [1, 1, 1],
    [-1, -1, 0],
  ])('with %d as the end of unrelated texts, a cosine of %d scores %d', (end, cosine, score) => {
    expect(calibrate(cosine, calibrationOf(end))).toBeCloseTo(score, 4);
  });

  test.each([
    [0, 0],
    [UNRELATED_SHARE / 2, UNRELATED_SCORE / 2],
    [UNRELATED_SHARE, UNRELATED_SCORE],
    [1, 1],
  ])('a share of %d of the best keyword score scores %d', (share, score) => {
    expect(calibrateKeyword(share)).toBeCloseTo(score, 9);
  });

  test('are between 0 and 1, and never fall as the cosine rises', () => {
    const cosine = fc.double({ min: -1, max: 1, noNaN: true });
    fc.assert(
      fc.property(cosine, cosine, cosine, (a, b, end) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        const scores = [low, high].map((each) => calibrate(each, calibrationOf(end)));
        expect(scores[0]).toBeGreaterThanOrEqual(0);
        expect(scores[1]).toBeLessThanOrEqual(1);
        expect(scores[0]).toBeLessThanOrEqual(scores[1] ?? 0);
      }),
    );
  });
});

describe('the calibration of a generation', () => {
  test('uses sentences that are different and short, half of them questions', () => {
    expect(new Set([...STATEMENTS, ...QUESTIONS]).size).toBe(128);
    expect(STATEMENTS).toHaveLength(QUESTIONS.length);
    for (const text of [...STATEMENTS, ...QUESTIONS]) expect(text.length).toBeLessThan(100);
  });

  test('MEM-06: one in 200 unrelated pairs reaches the default threshold', async () => {
    const { embed } = createLexicalEmbedder();
    const calibration = await measureCalibration(
      (texts, purpose) => embed(texts, { purpose }),
      'one',
    );
    expect(calibration).toMatchObject({ generation: 'one', sentences: SENTENCES_REVISION });
    const passages = await embed(STATEMENTS, { purpose: 'passage' });
    const questions = await embed(QUESTIONS, { purpose: 'query' });
    const pairs = passages.flatMap((passage, at) =>
      [...questions, ...passages.slice(at + 1)].map((other) =>
        passage.reduce((sum, value, place) => sum + value * (other[place] ?? 0), 0),
      ),
    );
    const related = pairs.filter((cosine) => calibrate(cosine, calibration) >= UNRELATED_SCORE);
    expect(related.length / pairs.length).toBeGreaterThan(0.004);
    expect(related.length / pairs.length).toBeLessThan(0.006);
  });

  test.each([
    ['finds all texts equal', [1, 0], 0.999],
    ['finds all texts opposite', [], -1],
  ])('also works with a model that %s', async (_, vector, expected) => {
    const embed = (texts: readonly string[], purpose: string) =>
      Promise.resolve(
        texts.map(() => (vector.length > 0 ? vector : [purpose === 'query' ? 1 : -1])),
      );
    const { unrelatedCosine } = await measureCalibration(embed, 'one');
    expect(unrelatedCosine).toBeGreaterThanOrEqual(expected);
    expect(unrelatedCosine).toBeLessThan(1);
  });
});

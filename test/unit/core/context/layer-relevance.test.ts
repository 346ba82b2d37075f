import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  layerRelevances,
  type RelevanceQuery,
  type SummaryEvidence,
} from '#core/context/layer-relevance.ts';
import { UNRELATED_SCORE } from '#core/search/calibration.ts';

const GENERATION = 'tiny-2';
const CALIBRATION = { generation: GENERATION, unrelatedCosine: 0.2, sentences: 'sentences-1' };

const termsOf = (text: string) => text.split(' ');
const evidence = (
  sentences: readonly string[],
  values: readonly number[] | null = null,
  generation = GENERATION,
): SummaryEvidence => ({
  sentences: sentences.map(termsOf),
  contextVector: values === null ? null : { generation, values: [...values] },
});
const asked = (text: string, vector: readonly number[] | null = null): RelevanceQuery => ({
  terms: termsOf(text),
  vector: vector === null ? null : { generation: GENERATION, vector },
  calibration: CALIBRATION,
});
const near = (query: RelevanceQuery, summaries: readonly SummaryEvidence[]) =>
  layerRelevances(query, summaries).map(({ relevance }) => relevance);

describe('relevance of summaries to a question', () => {
  test('SUM-10: is the similarity of question and context vector, calibrated', () => {
    const [right, across, against] = layerRelevances(asked('x', [1, 0]), [
      evidence([], [1, 0]),
      evidence([], [0.2, Math.sqrt(0.96)]),
      evidence([], [-1, 0]),
    ]);
    expect(right).toMatchObject({ similarity: 1, semanticScore: 1 });
    expect(across?.similarity).toBeCloseTo(0.6);
    expect(across?.semanticScore).toBeCloseTo(UNRELATED_SCORE);
    expect(against).toMatchObject({ similarity: 0, semanticScore: 0 });
  });

  test('is higher for the nearer vector if no words match', () => {
    const [user = 0, team = 0] = near(asked('x', [1, 0.5]), [
      evidence(['tulips grow'], [1, 0.4]),
      evidence(['contracts end'], [0.1, 1]),
    ]);
    expect(user).toBeGreaterThan(team);
  });

  test('is higher for the summary with the words if there are no vectors', () => {
    const summaries = [evidence(['tulips grow', 'cats sleep']), evidence(['contracts end'])];
    const [user = 0, team = 0] = near(asked('contracts'), summaries);
    expect(team).toBeGreaterThan(user);
  });

  test('ignores a word that every layer says, but counts a rare one', () => {
    const [common = 0, rare = 0] = near(asked('release freeze'), [
      evidence(['release notes', 'release bot', 'release again']),
      evidence(['release freeze']),
    ]);
    expect(rare).toBeGreaterThan(common);
  });

  test('is higher for words in one sentence than for the same words spread over several', () => {
    const [together = 0, spread = 0, half = 0] = near(asked('launch tulips'), [
      evidence(['launch tulips set', 'cats sleep well']),
      evidence(['launch party soon', 'tulips grow tall']),
      evidence(['launch party soon', 'cats sleep well']),
    ]);
    expect(together).toBeGreaterThan(spread);
    expect(spread).toBeGreaterThan(half + 0.05);
  });

  test('ignores a vector of another generation, and nothing fails', () => {
    const [old, fresh] = layerRelevances(asked('tulips', [1, 0]), [
      evidence(['tulips grow'], [1, 0, 0, 0], 'other-4'),
      evidence(['contracts end'], [1, 0]),
    ]);
    expect(old).toMatchObject({ similarity: null, semanticScore: null });
    expect(old?.relevance).toBe(old?.keywordScore);
    expect(old?.relevance).toBeGreaterThan(0);
    expect(fresh?.similarity).toBe(1);
  });

  test('uses words alone if the question has no vector', () => {
    const [user] = layerRelevances(asked('tulips'), [evidence(['tulips grow'], [1, 0])]);
    expect(user).toMatchObject({ similarity: null, relevance: user?.keywordScore });
  });

  test('compares vectors even before their generation is calibrated', () => {
    const query = { ...asked('x', [1, 0]), calibration: null };
    const [right = 0, wrong = 0] = near(query, [evidence([], [1, 0.1]), evidence([], [0, 1])]);
    expect(right).toBeGreaterThan(wrong);
  });

  const word = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const anyEvidence = fc.record({
    sentences: fc.array(fc.array(word, { maxLength: 6 }), { maxLength: 4 }),
    contextVector: fc.option(
      fc.record({
        generation: fc.constantFrom(GENERATION, 'other'),
        values: fc.array(fc.double({ min: -1, max: 1, noNaN: true }), {
          minLength: 3,
          maxLength: 3,
        }),
      }),
    ),
  });
  const anyQuery = fc.record({
    terms: fc.array(word, { maxLength: 6 }),
    vector: fc.option(fc.constant({ generation: GENERATION, vector: [0.5, -0.5, 0.1] })),
    calibration: fc.constantFrom(null, CALIBRATION),
  });

  test('is from 0 to 1, and independent of the order of the layers', () => {
    fc.assert(
      fc.property(anyQuery, fc.array(anyEvidence, { maxLength: 7 }), (query, summaries) => {
        const forward = layerRelevances(query, summaries);
        for (const { relevance } of forward) {
          expect(relevance).toBeGreaterThanOrEqual(0);
          expect(relevance).toBeLessThanOrEqual(1);
        }
        expect(layerRelevances(query, summaries.toReversed())).toEqual(forward.toReversed());
      }),
    );
  });
});

import { describe, expect, test } from 'vitest';
import { recallHits, unrelatedMarked, type RecallRequest } from '#core/recall/recall-hits.ts';
import { pastOf } from './context-input.ts';

const REQUEST: RecallRequest = {
  calibration: { generation: 'm', unrelatedCosine: 0.3, sentences: '1' },
  byWords: true,
  byVectors: true,
  threshold: 0.7,
  limit: 5,
  windows: [],
};
const texts = (request: Partial<RecallRequest>, ...passages: ReturnType<typeof pastOf>[]) =>
  recallHits(passages, { ...REQUEST, ...request }).hits.map(({ passage }) => passage.text);

const OBOE = pastOf(0, 'Clara plays the oboe.', { wordShare: 0.6 });
const GRAZ = pastOf(4, 'The concert is in Graz.', { wordShare: 0.25 });
const TEA = pastOf(8, 'Tea is at five.', { wordShare: 0.05, cosine: 0.6 });

describe('recall hits from past turns', () => {
  test('include one per turn, by the better score, on the scale of memories', () => {
    const again = pastOf(1, 'It is an old one.', { wordShare: 0.9 });
    const { hits } = recallHits([OBOE, again, GRAZ, TEA], REQUEST);
    expect(hits.map(({ passage }) => passage.text)).toEqual([OBOE.text, TEA.text, GRAZ.text]);
    for (const { score } of hits) expect(score).toBeGreaterThanOrEqual(0.7);
  });

  test.each([
    ['only words', { byVectors: false }, [OBOE.text, GRAZ.text]],
    ['only vectors', { byWords: false }, [TEA.text]],
    ['no calibration of the model', { calibration: null }, [OBOE.text, GRAZ.text]],
    ['a limit', { limit: 1 }, [OBOE.text]],
    ['a threshold of 1', { threshold: 1 }, []],
  ])('with %s contain only what qualifies', (_, request, expected) => {
    expect(texts(request, OBOE, GRAZ, TEA)).toEqual(expected);
  });

  test('exclude a turn that is only next to a matching one', () => {
    const aside = pastOf(2, 'Fine.', { wordShare: 0.5, hitShare: 0 });
    expect(texts({}, OBOE, aside)).toEqual([OBOE.text]);
    const [marked] = unrelatedMarked([aside], { calibration: null, windows: [] });
    expect(marked?.isUnrelated).toBeUndefined();
  });

  test('include only the later of two turns that say the same', () => {
    const twin = pastOf(12, 'Clara plays the OBOE!', { wordShare: 0.6 });
    const { hits } = recallHits([OBOE, twin], REQUEST);
    expect(hits.map(({ passage }) => passage)).toEqual([twin]);
  });

  test('include two long turns that differ only in a number', () => {
    const about = 'after many long talks with people who care about payments and orders at night';
    const [five, fifteen] = [5, 15].map((seconds) =>
      pastOf(seconds, `Ann and Tom set it to ${String(seconds)} seconds in the shop ${about}.`, {
        wordShare: 0.6,
      }),
    );
    if (five === undefined || fifteen === undefined) throw new Error('two turns were made');
    expect(texts({}, five, fifteen)).toEqual([five.text, fifteen.text]);
  });

  test.each([
    ['before it', 5, ['I live in Faro.', 'I live in Porto.']],
    ['in its place if there is room for one', 1, ['I live in Faro.']],
  ])('show the last replacement of an outdated turn %s', (_, limit, expected) => {
    const porto = pastOf(0, 'I live in Porto.', { wordShare: 0.6, outdatedBy: [4, 8] });
    const braga = pastOf(4, 'I live in Braga.', { wordShare: 0.05, outdatedBy: [8] });
    const faro = pastOf(8, 'I live in Faro.', { wordShare: 0.05 });
    expect(texts({ limit }, porto, braga, faro)).toEqual(expected);
  });

  test('show a replacement before the turn it replaces if both match', () => {
    const porto = pastOf(0, 'I live in Porto.', { wordShare: 0.6, outdatedBy: [4] });
    const braga = pastOf(4, 'I live in Braga.', { wordShare: 0.5 });
    expect(texts({}, porto, braga)).toEqual([braga.text, porto.text]);
  });

  test('include a turn of the time that the question names before a slightly better one', () => {
    const [march, may] = [Date.parse('2026-03-10T10:00Z'), Date.parse('2026-05-10T10:00Z')];
    const vote = { ...pastOf(0, 'We voted for Ann.', { wordShare: 0.5 }), at: march };
    const again = { ...pastOf(4, 'We voted for Bo.', { wordShare: 0.55 }), at: may };
    const windows = [{ from: march - 1, to: march + 1, weight: 1 }];
    expect(texts({}, vote, again)).toEqual([again.text, vote.text]);
    expect(texts({ windows }, vote, again)).toEqual([vote.text, again.text]);
    expect(texts({ windows, threshold: 0.99 }, vote, again)).toEqual([]);
  });

  test('report as nearest miss the best turn below the threshold, never one without a match', () => {
    const none = pastOf(16, 'Nothing of it.');
    expect(recallHits([none], REQUEST)).toMatchObject({ hits: [], nearestMiss: null });
    const { nearestMiss } = recallHits([none, TEA], { ...REQUEST, byVectors: false });
    expect(nearestMiss?.passage).toBe(TEA);
  });
});

import { describe, expect, test } from 'vitest';
import { assemble, FRESH, summaryPart } from './context-input.ts';

describe('layer summaries in a context', () => {
  test('SUM-08: layer summaries are all shown shortest first, then deepened by relevance', () => {
    const deep = { sentence: 's'.repeat(8), paragraph: 'p'.repeat(120) };
    const layerSummaries = [summaryPart('user', deep, 0.1), summaryPart('team', deep, 0.9)];
    const depthsAt = (limit: number) =>
      assemble({ layerSummaries, limit })
        .receipt.filter(({ kind }) => kind === 'layerSummary')
        .map(({ depth }) => depth);
    const both = assemble({ layerSummaries }).tokens;
    expect(depthsAt(both)).toEqual(['paragraph', 'paragraph']);
    expect(depthsAt(both - 1)).toEqual(['sentence', 'paragraph']);
    expect(depthsAt(both - 30)).toEqual(['sentence', 'sentence']);
  });

  test('of equally relevant layers the more specific one is deepened first', () => {
    const deep = { sentence: 's'.repeat(8), paragraph: 'p'.repeat(120) };
    const layerSummaries = [summaryPart('team', deep, 0.5), summaryPart('user', deep, 0.5)];
    const limit = assemble({ layerSummaries }).tokens - 1;
    const { receipt } = assemble({ layerSummaries, limit });
    const depthOf = (layer: string) => receipt.find((line) => line.layer === layer)?.depth;
    expect([depthOf('user'), depthOf('team')]).toEqual(['paragraph', 'sentence']);
  });

  test('no layer is deepened for being shorter than a more relevant one', () => {
    const long = { sentence: 's'.repeat(8), paragraph: 'p'.repeat(400) };
    const short = { sentence: 's'.repeat(8), paragraph: 'p'.repeat(40) };
    const layerSummaries = [summaryPart('user', short, 0.1), summaryPart('team', long, 0.9)];
    const depthsAt = (limit: number) =>
      assemble({ layerSummaries, limit })
        .receipt.filter(({ kind }) => kind === 'layerSummary')
        .map(({ depth }) => depth);
    const both = assemble({ layerSummaries }).tokens;
    expect(depthsAt(both - 1)).toEqual(['sentence', 'paragraph']);
    expect(depthsAt(both - 50)).toEqual(['sentence', 'sentence']);
  });

  test('a text that is the same at a longer depth is shown as that depth', () => {
    const same = { sentence: 'All of it.', paragraph: 'All of it.', detailed: 'All of it.' };
    const { receipt } = assemble({ layerSummaries: [summaryPart('user', same, 0.9)] });
    const line = receipt.find(({ kind }) => kind === 'layerSummary');
    expect(line).toMatchObject({ depth: 'detailed', reason: 'Asked' });
  });

  test('the receipt of a layer tells relevance, depth, sources, trust, and for whom', () => {
    const deep = { sentence: 's'.repeat(8), paragraph: 'p'.repeat(120) };
    const own = { ...summaryPart('user', deep, 0.9), similarity: 0.8, personalized: true };
    const team = summaryPart('team', { sentence: 't'.repeat(400) }, 0.1);
    const layerSummaries = [own, team, summaryPart('org', {})];
    const limit = assemble({ layerSummaries: [own] }).tokens;
    const { receipt } = assemble({ layerSummaries, limit });
    const lines = receipt.filter(({ kind }) => kind === 'layerSummary');
    const known = { freshness: FRESH, trust: 'stated', similarity: null, personalized: false };
    expect(lines).toMatchObject([
      {
        ...{ layer: 'user', included: true, reason: 'Relevant', depth: 'paragraph', tokens: 30 },
        ...{ sources: ['user-1'], relevance: 0.9, similarity: 0.8, personalized: true },
      },
      {
        ...{ layer: 'team', included: false, reason: 'OverLimit', depth: null, tokens: 100 },
        ...{ ...known, sources: ['team-1'], relevance: 0.1 },
      },
      { layer: 'org', included: false, reason: 'NoText', depth: null, tokens: 0, sources: [] },
    ]);
  });
});

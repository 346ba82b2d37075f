import { describe, expect, test } from 'vitest';
import { assemble, pastOf, relatedOf, summaryPart, tokens, turnOf } from '../context-input.ts';

const LAYERS = [
  summaryPart('user', { sentence: 'Ann likes brief answers.', paragraph: 'p'.repeat(200) }, 0.1),
  summaryPart('company', { sentence: 'Every launch needs a contract.' }, 0.9),
];
const STABLE = {
  layout: 'cacheStable' as const,
  layerSummaries: LAYERS,
  sessionSummary: summaryPart('session', { sentence: 'They plan the launch.' }),
  hotTurns: [turnOf(1), turnOf(2)],
};

/** What stands before the first part that a question chooses. */
function stableText(text: string): string {
  return text.split(/^## (?:Earlier turns|Related|Question)$/mu)[0] ?? '';
}

describe('a context with the stable layout', () => {
  test.each([
    ['another question', { query: 'Who signs the contract, and when at the latest?' }],
    ['related memories', { relatedEntities: [relatedOf(1, 0.9, 'r'.repeat(900))] }],
    ['earlier turns', { pastTurns: [pastOf(1, 't'.repeat(300)), pastOf(2, 'u'.repeat(300))] }],
    [
      'the relevance of layers',
      { layerSummaries: LAYERS.map((part) => ({ ...part, relevance: 1 - part.relevance })) },
    ],
  ])('keeps the bytes of its beginning if %s changes', (_, differing) => {
    for (const limit of [150, 300, 1_000]) {
      const { text } = assemble({ ...STABLE, limit });
      const other = assemble({ ...STABLE, ...differing, limit });
      expect(stableText(other.text)).toBe(stableText(text));
      expect(other.tokens).toBeLessThanOrEqual(limit);
    }
  });

  test('begins with what changes least: the company before the user', () => {
    const { text, receipt } = assemble(STABLE);
    expect(text.indexOf('- company')).toBeLessThan(text.indexOf('- user'));
    expect(text.indexOf('- user')).toBeLessThan(text.indexOf('## Session so far'));
    const layers = receipt.filter(({ kind }) => kind === 'layerSummary').map(({ layer }) => layer);
    expect(layers).toEqual(['company', 'user']);
  });

  test('leaves half of the limit to the parts that the question chooses', () => {
    const deep = summaryPart('team', { sentence: 's', paragraph: 'p'.repeat(10_000) });
    const { text } = assemble({ ...STABLE, layerSummaries: [...LAYERS, deep], limit: 400 });
    expect(tokens.count(stableText(text))).toBeLessThanOrEqual(200);
  });

  test('shows the shortest text of every layer before a longer text of any', () => {
    const both = summaryPart('company', { sentence: 's'.repeat(40), paragraph: 'p'.repeat(500) });
    const long = summaryPart('user', { paragraph: 'u'.repeat(300) });
    const depthsAt = (limit: number) =>
      assemble({ layout: 'cacheStable', layerSummaries: [both, long], limit }).receipt.flatMap(
        ({ layer, depth }) => (depth === null ? [] : [`${layer} ${depth}`]),
      );
    const shown = Array.from({ length: 30 }, (_, n) => depthsAt(200 + 20 * n).join(', '));
    expect([...new Set(shown)].filter((each) => each !== '')).toEqual([
      'user paragraph, company sentence',
      'user paragraph, company paragraph',
    ]);
  });

  test('fits a limit that instructions and query nearly fill', () => {
    const limit = assemble({ layout: 'cacheStable' }).tokens;
    expect(assemble({ ...STABLE, limit }).tokens).toBe(limit);
  });
});

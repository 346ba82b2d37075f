/** Parts that fit the question get room before others, and nothing is shown twice. */
import { describe, expect, test } from 'vitest';
import type { PartSentence, SummaryPart } from '#core/context/context-parts.ts';
import { partTextOf } from '#core/context/context-text.ts';
import type { Layer } from '#core/layer.ts';
import { assemble, pastOf, relatedOf, summaryPart } from '../context-input.ts';

const OTHER = Array.from({ length: 40 }, (_, n) =>
  pastOf(n * 4, `Something else was said at length, number ${String(n)}.`, { isUnrelated: true }),
);
const FITS = 'The launch of the garden shop needs a signed contract by the owners.';

function partOf(layer: Layer, sentences: readonly PartSentence[]): SummaryPart {
  return { ...summaryPart(layer, {}), depths: { sentence: partTextOf(sentences) } };
}

function sentence(text: string, differing: Partial<PartSentence> = {}): PartSentence {
  return { text, sources: ['of it'], trust: 'stated', sinceThen: false, ...differing };
}

describe('a context whose limit is filled by turns that do not fit the question', () => {
  test('shows all memories that fit the question, even beyond their share', () => {
    const relatedEntities = Array.from({ length: 5 }, (_, n) =>
      relatedOf(n, 0.9, `${FITS} Part ${String(n)}.`),
    );
    const { text, receipt } = assemble({ limit: 200, pastTurns: OTHER, relatedEntities });
    for (const part of relatedEntities) expect(text).toContain(part.text);
    const related = receipt.filter(({ kind }) => kind === 'relatedEntity');
    expect(related.every(({ included }) => included)).toBe(true);
  });

  test('leaves out memories that fit the question no better than the turns', () => {
    const relatedEntities = Array.from({ length: 5 }, (_, n) =>
      relatedOf(n, 0.3, `${FITS} Part ${String(n)}.`),
    );
    const { receipt } = assemble({ limit: 200, pastTurns: OTHER, relatedEntities });
    const related = receipt.filter(({ kind }) => kind === 'relatedEntity');
    expect(related.filter(({ included }) => included).length).toBeLessThan(5);
  });

  test('shows the layer summary that fits the question, however long it is', () => {
    const layerSummaries = [
      summaryPart('agent', { sentence: 'Short.' }, 0.19),
      summaryPart('company', { sentence: `${FITS} ${'And so on. '.repeat(20)}` }, 0.96),
    ];
    const { text } = assemble({ limit: 200, pastTurns: OTHER, layerSummaries });
    expect(text).toContain(`- company: ${FITS}`);
  });
});

test('a layer summary longer than its share is shown if room is left', () => {
  const layerSummaries = [summaryPart('user', { sentence: `${FITS} ${'More. '.repeat(40)}` }, 0.1)];
  const { text } = assemble({ limit: 300, pastTurns: [pastOf(0, 'Hello.')], layerSummaries });
  expect(text).toContain(`user: ${FITS}`);
});

test('a memory is shown if the session summary that displaced it is dropped too', () => {
  const { text } = assemble({
    limit: 48,
    sessionSummary: summaryPart('session', { sentence: 'They talked. '.repeat(40) }, 0.2),
    relatedEntities: [relatedOf(1, 0.98, FITS)],
    pastTurns: OTHER,
  });
  expect(text).toContain(FITS);
});

describe('a statement of a summary', () => {
  test('hides the earlier turn of the session that says the same', () => {
    const pastTurns = [
      pastOf(0, 'The plumber costs 180 euros.', { turnId: 'paid', sessionId: 'now' }),
      pastOf(4, 'The boiler was replaced.', { turnId: 'boiler', sessionId: 'now' }),
    ];
    const said = sentence('user: The plumber costs 180 euros.', { sources: ['paid'] });
    const { text, receipt } = assemble({
      limit: 300,
      pastTurns,
      sessionSummary: partOf('session', [said]),
    });
    expect(text.split('180 euros')).toHaveLength(2);
    expect(text).toContain('The boiler was replaced.');
    expect(receipt.find(({ id }) => id === 'paid')?.reason).toBe('Duplicate');
  });

  test.each([
    ['that is newer than the summary', 'byQuestion', true],
    ['in the stable layout', 'cacheStable', false],
  ] as const)('%s hides the memory that says the same', (_, layout, sinceThen) => {
    const memory = relatedOf(1, 0.9, 'Lea likes tea. (2026-10-19)');
    const said = sentence('Lea likes tea.', { sources: [memory.id], sinceThen });
    const { text, receipt } = assemble({
      limit: 300,
      layout,
      relatedEntities: [memory],
      layerSummaries: [partOf('user', [sentence('Lea rows.'), said])],
    });
    expect(text.split('Lea likes tea')).toHaveLength(2);
    expect(receipt.find(({ id }) => id === memory.id)?.reason).toBe('Duplicate');
  });
});

import { describe, expect, test } from 'vitest';
import { extractFacts, type ExtractSource } from '#providers/extractive/extract-facts.ts';

const at = '2026-11-03T10:00:00Z';
const SOURCES: readonly ExtractSource[] = [
  'The van is repaired in the garage behind the station on Monday.',
  'The invoices are paid through the bank in the old town.',
  'The greenhouse grows tulips and roses for the spring.',
].map((text, n) => ({ id: `s${String(n)}`, text, at }));

/** Room for one of the facts. */
const OPTIONS = {
  countTokens: (text: string) => text.split(/\s+/u).length,
  maxTokens: 13,
  maxSentenceTokens: 13,
};

describe('facts for a reader', () => {
  test.each([
    ['Ann is a gardener. Her roses and tulips are early.', 's2'],
    ['Bob keeps the books and pays each invoice at the bank.', 's1'],
    ['Carl repairs vans.', 's0'],
  ])('who is described as "%s" begin with the topic of the reader', (about, first) => {
    expect(extractFacts(SOURCES, { ...OPTIONS, about })[0]?.sources).toEqual([first]);
  });

  test('are the general ones if nothing is known of the reader', () => {
    const general = extractFacts(SOURCES, OPTIONS);
    for (const about of [null, 'The and of.', 'Dora flies.']) {
      expect(extractFacts(SOURCES, { ...OPTIONS, about })).toEqual(general);
    }
  });

  test('contain nothing that only the reader says', () => {
    const about = 'Ann hates tulips since 1999.';
    for (const { text, quote } of extractFacts(SOURCES, { ...OPTIONS, about })) {
      expect(SOURCES.map((source) => source.text)).toContain(text);
      expect(text).toContain(quote);
    }
  });
});

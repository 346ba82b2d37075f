/** The facts of many and of any sources. */
import * as fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base';
import { expect, test } from 'vitest';
import { joinSentences, sentenceOf } from '#core/text/joined-sentences.ts';
import { extractFacts } from '#providers/extractive/extract-facts.ts';
import { ANY_CHARACTER } from '#test/any-character.ts';

const CAPS = { countTokens, maxTokens: 500, maxSentenceTokens: 50 };

test('EXTRACT-15: time grows in proportion to the input', () => {
  const turns = Array.from({ length: 4000 }, (_, n) => ({
    id: `t${n}`,
    text: `we will move service number ${n} to the ${n % 9}th region and um test it .`,
    at: new Date(Date.UTC(2026, 0, 1, 9, 0, n)).toISOString(),
    speaker: `Speaker ${n % 4}`,
  }));
  const began = performance.now();
  expect(extractFacts(turns, CAPS).length).toBeGreaterThan(5);
  expect(performance.now() - began).toBeLessThan(5000);
});

const PIECES = fc.constantFrom(
  'The team deploys on Monday.',
  'um , so we we think ',
  'It is 5 Euros .',
  '```js\nlet a = 1\n```',
  '[link](http://x.test)',
  '**bold** _it_ `code`',
  '\n\n- item one\n- item two\n',
  '团队每周二部署。',
  '👩‍👩‍👧‍👦 is not here',
  'x'.repeat(300),
);
const TEXT = fc.oneof(
  fc.string({ unit: ANY_CHARACTER, maxLength: 200 }),
  fc
    .array(fc.oneof(PIECES, fc.string({ maxLength: 20 })), { maxLength: 12 })
    .map((p) => p.join(' ')),
);
const SOURCES = fc
  .array(
    fc.record(
      { text: TEXT, speaker: fc.constantFrom('Ana', 'user', 'assistant', '') },
      { requiredKeys: ['text'] },
    ),
    { maxLength: 12 },
  )
  .map((list) =>
    list.map((source, n) => ({ id: `s${n}`, at: `2026-01-0${1 + (n % 9)}`, ...source })),
  );

test('EXTRACT-16: facts of any input are cited, quoted, within the caps and repeatable', () => {
  fc.assert(
    fc.property(SOURCES, fc.constantFrom(20, 120, 500), (sources, maxTokens) => {
      const options = { ...CAPS, maxTokens };
      const facts = extractFacts(sources, options);
      expect(extractFacts(structuredClone(sources), options)).toEqual(facts);
      expect(
        countTokens(joinSentences(facts.map(({ text }) => sentenceOf(text)))),
      ).toBeLessThanOrEqual(maxTokens);
      for (const fact of facts) {
        const cited = fact.sources.map((id) => sources.find((source) => source.id === id));
        expect(cited.length).toBeGreaterThan(0);
        expect(cited).not.toContain(undefined);
        expect(fact.quote).not.toBe('');
        expect(cited[0]?.text).toContain(fact.quote);
        expect(countTokens(fact.text)).toBeLessThanOrEqual(CAPS.maxSentenceTokens);
      }
    }),
    { numRuns: 150 },
  );
});

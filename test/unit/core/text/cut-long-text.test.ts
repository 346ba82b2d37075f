import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CONTENT_LENGTH_MAX } from '#core/records/memory.ts';
import { chunksOf } from '#core/text/cut-long-text.ts';
import { ANY_CHARACTER } from '#test/any-character.ts';

const AIM = 100;

const paragraph = fc.oneof(
  fc.lorem({ mode: 'sentences', maxCount: 6 }),
  fc.string({ unit: ANY_CHARACTER, maxLength: 150 }),
  fc.constantFrom('', '```\ncode\n\ncode\n```', '- a\n- b', 'x'.repeat(350), '😀'.repeat(120)),
);

describe('chunks', () => {
  test('IMPORT-5: chunks, when joined, are the text, character for character', () => {
    fc.assert(
      fc.property(fc.array(paragraph, { maxLength: 8 }), fc.boolean(), (paragraphs, fences) => {
        const text = paragraphs.join('\n\n');
        const chunks = chunksOf(text, { aim: AIM, fences });
        expect(chunks.join('')).toBe(text);
        const longest = Math.max(...chunks.map((chunk) => chunk.length));
        expect(fences || longest <= AIM).toBe(true);
      }),
    );
  });

  test('IMPORT-5: no chunk splits a surrogate pair', () => {
    for (const chunk of chunksOf(`x${'😀'.repeat(300)}`, { aim: AIM })) {
      expect(chunk.isWellFormed()).toBe(true);
    }
  });

  test('IMPORT-5: chunks keep paragraphs whole and group them up to the target size', () => {
    const text = ['a'.repeat(60), 'b'.repeat(30), 'c'.repeat(60)].join('\n\n');
    expect(chunksOf(text, { aim: AIM }).map((chunk) => chunk.trim().length)).toEqual([92, 60]);
  });

  test('IMPORT-5: a long paragraph is cut after sentences, even with wrapped lines', () => {
    const text = 'The first sentence goes on\nover a line. The second one\ndoes so too. '.repeat(4);
    for (const chunk of chunksOf(text, { aim: AIM })) expect(chunk.trimEnd()).toMatch(/\.$/);
  });

  test('IMPORT-5: code beyond the hard limit is cut after lines', () => {
    const line = 'const answer = await question();\n';
    const code = `\`\`\`\n${line.repeat(1_000)}\`\`\`\n`;
    const chunks = chunksOf(`Run this:\n\n${code}`, { aim: AIM, fences: true });
    expect(chunks.join('')).toContain(code);
    expect(chunks.length).toBeGreaterThan(1);
    for (const chunk of chunks) {
      expect(chunk.length).toBeLessThanOrEqual(CONTENT_LENGTH_MAX);
      expect(chunk).toMatch(/\n$/u);
    }
    expect(chunks.some((chunk) => chunk.length > CONTENT_LENGTH_MAX / 2)).toBe(true);
  });

  test('IMPORT-5: a sentence that is too long is cut between words', () => {
    for (const chunk of chunksOf('word '.repeat(100), { aim: AIM })) {
      expect(chunk).toMatch(/^(?:word )+$/);
    }
  });

  test.each([
    'Ketamine is locked in cabinet 7 and only Dr. Ahlström holds the second key. ',
    'Fragen beantwortet Prof. Weiß bzw. Frau Koch in Zimmer Nr. 12 ab dem 3. Mai. ',
    'La Sra. Pérez y el Sr. Gil guardan la llave en la caja núm. 5 de Sta. Ana. ',
  ])('IMPORT-5: a long paragraph is never cut after an abbreviation: %s', (sentence) => {
    const text = sentence.repeat(600);
    for (const wrapped of [text, text.replaceAll('. ', '.\n')]) {
      for (const chunk of chunksOf(wrapped, { aim: AIM })) {
        expect(chunk.replaceAll('\n', ' ')).toBe(sentence);
      }
    }
  });

  test('IMPORT-5: a sentence that is too long is not cut between a title and its name', () => {
    const text = 'and Dr. Lima, '.repeat(100);
    for (const chunk of chunksOf(text, { aim: AIM })) expect(chunk).not.toMatch(/Dr\.\s*$/u);
  });
});

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chunksOf } from '#core/text/cut-long-text.ts';

const AIM = 100;

const paragraph = fc.oneof(
  fc.lorem({ mode: 'sentences', maxCount: 6 }),
  fc.string({ unit: 'binary', maxLength: 150 }),
  fc.constantFrom('', '```\ncode\n\ncode\n```', '- a\n- b', 'x'.repeat(350), '😀'.repeat(120)),
);

describe('pieces', () => {
  test('IMPORT-5: pieces joined are the text, character for character', () => {
    fc.assert(
      fc.property(fc.array(paragraph, { maxLength: 8 }), fc.boolean(), (paragraphs, fences) => {
        const text = paragraphs.join('\n\n');
        const pieces = chunksOf(text, { aim: AIM, fences });
        expect(pieces.join('')).toBe(text);
        const longest = Math.max(...pieces.map((piece) => piece.length));
        expect(fences || longest <= AIM).toBe(true);
      }),
    );
  });

  test('IMPORT-5: no surrogate pair is cut', () => {
    for (const piece of chunksOf(`x${'😀'.repeat(300)}`, { aim: AIM })) {
      expect(piece.isWellFormed()).toBe(true);
    }
  });

  test('IMPORT-5: paragraphs are kept whole and grouped up to the aim', () => {
    const text = ['a'.repeat(60), 'b'.repeat(30), 'c'.repeat(60)].join('\n\n');
    expect(chunksOf(text, { aim: AIM }).map((piece) => piece.trim().length)).toEqual([92, 60]);
  });

  test('IMPORT-5: a long paragraph is cut after sentences, wrapped lines or not', () => {
    const text = 'The first sentence goes on\nover a line. The second one\ndoes so too. '.repeat(4);
    for (const piece of chunksOf(text, { aim: AIM })) expect(piece.trimEnd()).toMatch(/\.$/);
  });

  test('IMPORT-5: a sentence without an end is cut between words', () => {
    for (const piece of chunksOf('word '.repeat(100), { aim: AIM })) {
      expect(piece).toMatch(/^(?:word )+$/);
    }
  });
});

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitLongRuns } from '#providers/tokenizers/gpt-tokenizer.ts';

const UNITS_MAX = 16;

const runs = fc
  .array(
    fc.tuple(
      fc.constantFrom('a', '中', '😀', ' ', '\n', '-', '1', '\ud83d', '\ude00', 'é'),
      fc.integer({ min: 1, max: 60 }),
    ),
    { maxLength: 8 },
  )
  .map((pieces) => pieces.map(([character, times]) => character.repeat(times)).join(''));

describe('long runs', () => {
  test('are split into parts that join to the text, without cutting a surrogate pair', () => {
    fc.assert(
      fc.property(runs, (text) => {
        const parts = splitLongRuns(text, UNITS_MAX);
        expect(parts.join('')).toBe(text);
        for (const [at, part] of parts.entries()) {
          const next = parts[at + 1] ?? '';
          expect(/[\ud800-\udbff]$/.test(part) && /^[\udc00-\udfff]/.test(next)).toBe(false);
        }
      }),
    );
  });

  test('are split so that no part has a run over its limit', () => {
    fc.assert(
      fc.property(runs, (text) => {
        for (const part of splitLongRuns(text, UNITS_MAX)) {
          for (const [run] of part.matchAll(/\p{L}+|\s+|[^\s\p{L}\p{N}]+/gu)) {
            expect(run.length).toBeLessThanOrEqual(UNITS_MAX);
          }
        }
      }),
    );
  });

  test('leave the prose before and after them whole', () => {
    const prose = 'Short words. '.repeat(10);
    const parts = splitLongRuns(`${prose}${'-'.repeat(40)}${prose}`, UNITS_MAX);
    expect(parts).toEqual([
      `${prose}${'-'.repeat(16)}`,
      '-'.repeat(16),
      `${'-'.repeat(8)}${prose}`,
    ]);
  });

  test('are not needed: a text without any stays whole', () => {
    const prose = 'A sentence of short words, again and again. '.repeat(100);
    expect(splitLongRuns(prose, UNITS_MAX)).toEqual([prose]);
    expect(splitLongRuns('', UNITS_MAX)).toEqual(['']);
  });
});

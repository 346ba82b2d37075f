import { describe, expect, test } from 'vitest';
import { finalizedHash, hashMore } from '#providers/lexical/features.ts';

const BASIS = 0x811c9dc5;

describe('hash', () => {
  test('LEXICAL-2: matches the FNV-1a test vectors', () => {
    // Two characters below 256 pack into one code unit, low byte first, as the vectors' octets.
    const octets = (text: string): string =>
      String.fromCharCode(text.charCodeAt(0) | (text.charCodeAt(1) << 8));
    expect(hashMore(BASIS, '', 0, 0) >>> 0).toBe(0x811c9dc5);
    expect(hashMore(BASIS, octets('fo'), 0, 1) >>> 0).toBe(0x6222e842);
  });

  test('LEXICAL-2: has the finalizer of MurmurHash3', () => {
    expect(finalizedHash(0)).toBe(0);
    expect(finalizedHash(1)).toBe(0x514e28b7);
  });

  test('LEXICAL-2: spreads indexes and signs of similar words evenly', () => {
    const counts = Array.from({ length: 16 }, () => 0);
    let positive = 0;
    for (let n = 0; n < 16_000; n += 1) {
      const word = `user${n}`;
      const hash = finalizedHash(hashMore(BASIS, word, 0, word.length));
      const at = (hash >>> 1) % counts.length;
      counts[at] = (counts[at] ?? 0) + 1;
      positive += hash & 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(850);
    expect(Math.max(...counts)).toBeLessThan(1_150);
    expect(Math.abs(positive - 8_000)).toBeLessThan(400);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chunkEntries, type Entry } from '#core/segments/content-defined-chunks.ts';
import { digest } from '#test/conformance/samples.ts';

const SIZES = { aim: 100, most: 200 };
/** No chunk is cut by force then. */
const ENDLESS = { aim: 100, most: Infinity };

const entries = fc.uniqueArray(
  fc.record({ key: fc.uuid(), weight: fc.integer({ min: 1, max: 60 }) }),
  { selector: ({ key }) => key, maxLength: 80 },
);

const cut = (all: readonly Entry[], sizes = SIZES) =>
  chunkEntries(digest, all, { level: 0, sizes });
const weightOf = (chunk: readonly Entry[]) => chunk.reduce((sum, { weight }) => sum + weight, 0);
const nameOf = (chunk: readonly Entry[]) =>
  chunk.map(({ key, weight }) => `${key}:${String(weight)}`).join(' ');

/** Pieces of the second list that the first does not have. */
function newPieces(before: readonly Entry[], after: readonly Entry[], sizes: typeof SIZES) {
  const known = new Set(cut(before, sizes).map(nameOf));
  return cut(after, sizes).filter((chunk) => !known.has(nameOf(chunk)));
}

describe('chunks', () => {
  test('contain every entry once, in order, and are never empty', () => {
    fc.assert(
      fc.property(entries, (all) => {
        const chunks = cut(all);
        expect(chunks.flat()).toEqual(all);
        expect(chunks.every((chunk) => chunk.length > 0)).toBe(true);
      }),
    );
  });

  test('exceed the maximum weight only with a single entry', () => {
    const heavy = fc.array(fc.record({ key: fc.uuid(), weight: fc.integer({ min: 1, max: 900 }) }));
    fc.assert(
      fc.property(heavy, (all) => {
        for (const chunk of cut(all).filter((each) => each.length > 1)) {
          expect(weightOf(chunk)).toBeLessThanOrEqual(SIZES.most);
        }
      }),
    );
  });

  test('never begin with a joined entry if it fits with the one before', () => {
    const results = fc.array(
      fc.record({ key: fc.uuid(), weight: fc.integer({ min: 1, max: 40 }) }),
    );
    fc.assert(
      fc.property(results, (all) => {
        const joined = all.map((entry, at) => ({ ...entry, joined: at % 3 !== 0 }));
        const begins = cut(joined).map(([first]) => first?.joined);
        expect(begins).toEqual(begins.map(() => false));
      }),
    );
  });

  test('from forced cuts weigh at least an eighth of the maximum with light entries', () => {
    // One run: none of these keys begins a chunk by itself.
    const light = Array.from({ length: 4_000 }, (_, n) => ({ key: `k-${String(n)}`, weight: 1 }));
    const chunks = cut(light, { aim: Infinity, most: 200 });
    expect(chunks.length).toBeGreaterThan(20);
    expect(Math.min(...chunks.map(weightOf))).toBeGreaterThanOrEqual(200 / 8);
  });

  test.each<[string, (all: Entry[], at: number, other: Entry) => Entry[]]>([
    ['an added', (all, at, other) => all.toSpliced(at, 0, other)],
    ['a removed', (all, at) => all.toSpliced(at, 1)],
    [
      'a changed',
      (all, at, other) =>
        all.map((each, n) => (n === at ? { ...each, ...other, key: each.key } : each)),
    ],
  ])('change in at most two places after %s entry', (_, change) => {
    const other = fc.record({ key: fc.uuid(), weight: fc.integer({ min: 1, max: 60 }) });
    fc.assert(
      fc.property(entries, fc.nat(), other, (all, place, entry) => {
        const at = all.length === 0 ? 0 : place % all.length;
        expect(newPieces(all, change(all, at, entry), ENDLESS).length).toBeLessThanOrEqual(2);
      }),
    );
  });

  test('from forced cuts mostly stay after 100 changes', () => {
    const all = Array.from({ length: 1_000 }, (_, n) => ({
      key: digest(`entry ${String(n)}`),
      weight: 5 + (n % 7),
    }));
    const counts = Array.from({ length: 100 }, (_, n) => {
      const key = digest(`other ${String(n)}`);
      const at = Number.parseInt(key.slice(0, 8), 16) % all.length;
      return newPieces(all, all.toSpliced(at, 0, { key, weight: 8 }), SIZES).length;
    });
    const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
    expect(mean).toBeLessThan(1.25);
    expect(Math.max(...counts)).toBeLessThanOrEqual(4);
  });

  test('have about the target weight on average, whatever the entries weigh', () => {
    for (const weight of [1, 7, 30]) {
      const all = Array.from({ length: 20_000 / weight }, (_, n) => ({
        key: digest(`${String(weight)} ${String(n)}`),
        weight,
      }));
      const average = weightOf(all) / cut(all).length;
      expect(average).toBeGreaterThan(SIZES.aim * 0.6);
      expect(average).toBeLessThan(SIZES.aim * 1.3);
    }
  });
});

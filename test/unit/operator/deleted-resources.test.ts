/** What counts as gone from a folder, over looks in which resources come and go. */
import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import type { Metadata } from '#crds/metadata.ts';
import { goneAfter, goneWithout, type GoneResources } from '#operator/folder/deleted-resources.ts';

interface Named {
  readonly metadata: Metadata;
}

const NAMES = ['a', 'b', 'c', 'd'];
const folder = fc.subarray(NAMES);
const named = (names: readonly string[]): readonly Named[] =>
  names.map((name) => ({ metadata: { name } }));

describe('what is gone from a folder', () => {
  test('exactly what was seen and is not there, since it was first missed', () => {
    fc.assert(
      fc.property(fc.array(folder, { minLength: 1, maxLength: 12 }), (looks) => {
        let gone: GoneResources<Named> = new Map();
        const missedAt = new Map<string, number>();
        let [before, seen]: [readonly string[], ReadonlySet<string>] = [[], new Set()];
        for (const [at, now] of looks.entries()) {
          gone = goneAfter(gone, { before: named(before), now: named(now) }, at);
          for (const name of now) missedAt.delete(name);
          for (const name of NAMES) {
            const isMissed = seen.has(name) && !now.includes(name) && !missedAt.has(name);
            if (isMissed) missedAt.set(name, at);
          }
          [before, seen] = [now, seen.union(new Set(now))];
          const found = [...gone].map(([key, { goneAt }]) => [key, goneAt] as const);
          const expected = [...missedAt].map(([name, time]) => [`default/${name}`, time] as const);
          expect(new Map(found)).toEqual(new Map(expected));
        }
      }),
    );
  });

  test('what was let go of is gone no more, also when it is missed on', () => {
    const [a, b] = [named(['a', 'b']), named(['b'])];
    const gone = goneAfter(new Map(), { before: a, now: b }, 1);
    const rest = goneWithout(gone, ['default/a']);
    expect([gone.size, rest.size]).toEqual([1, 0]);
    expect(goneAfter(rest, { before: b, now: b }, 2).size).toBe(0);
  });
});

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSparseTable } from '#core/search/sparse-vector-table.ts';
import { areUnits, unitVector } from '#core/search/vector-kernel.ts';
import { numbersIn, rowOf, rowsOf } from '#core/search/vector-rows.ts';
import { createVectorTable, type VectorTable } from '#core/search/vector-table.ts';

const LENGTH = 70;
const SLOTS = 12;

const value = fc.float({ min: -1_000, max: 1_000, noNaN: true, noDefaultInfinity: true });
const place = fc.nat({ max: LENGTH - 1 });
/** From one number that is not zero to all of them. */
const vector = fc
  .tuple(
    fc.array(value, { minLength: LENGTH, maxLength: LENGTH }),
    fc.oneof(fc.array(place, { minLength: 1, maxLength: 12 }), fc.constant(null)),
  )
  .map(([numbers, kept]) =>
    numbers.map((each, at) => (kept === null || kept.includes(at) ? each : 0)),
  )
  .filter((numbers) => numbers.some((each) => Math.abs(each) > 1e-3));

const slot = fc.nat({ max: SLOTS - 1 });
const change = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), slot, vector }),
  fc.record({ kind: fc.constant('remove' as const), slot }),
  fc.record({
    kind: fc.constant('append' as const),
    vectors: fc.array(vector, { minLength: 1, maxLength: 3 }),
  }),
);

function rowsWith(vectors: readonly (readonly number[])[]) {
  const rows = vectors.map((each) => rowOf(Float32Array.from(unitVector(each))));
  const words = Uint32Array.from(rows.flatMap((row) => [...row]));
  const read = rowsOf(
    words,
    rows.map(({ length }) => length),
  );
  if (read === null) throw new Error('These are rows.');
  return read;
}

function answersOf(table: VectorTable, query: readonly number[]) {
  const unit = unitVector(query);
  const found = new Map<number, number>();
  const isWanted = (each: number) => each % 5 !== 3;
  table.scan(unit, isWanted, (each, cosine) => found.set(each, cosine));
  const slots = Array.from({ length: 3 * SLOTS }, (_, each) => each);
  return {
    size: table.size,
    found: [...found].toSorted(([a], [b]) => a - b),
    cosines: slots.map((each) => (table.has(each) ? table.cosine(each, unit) : null)),
  };
}

test('a sparse table answers exactly like a full one, whatever is put and removed', () => {
  const changes = fc.array(change, { maxLength: 12 });
  fc.assert(
    fc.property(changes, vector, (made, query) => {
      const tables = [createSparseTable(LENGTH), createVectorTable(LENGTH)];
      let next = SLOTS;
      for (const each of made) {
        const rows = each.kind === 'append' ? rowsWith(each.vectors) : null;
        const slots = rows === null ? [] : rows.starts.slice(1).map((_, at) => next + at);
        next += slots.length;
        for (const table of tables) {
          if (each.kind === 'put') table.put(each.slot, unitVector(each.vector));
          else if (each.kind === 'remove') table.remove(each.slot);
          else if (rows !== null) table.append(slots, rows);
        }
      }
      for (let scans = 0; scans < 3; scans += 1) {
        const [sparse, whole] = tables.map((table) => answersOf(table, query));
        expect(sparse).toStrictEqual(whole);
      }
    }),
  );
});

test('repeated scans of a changed sparse table answer the same', () => {
  const table = createSparseTable(LENGTH);
  const unit = (at: number) => unitVector(Array.from({ length: LENGTH }, (_, n) => +(n === at)));
  table.append([0, 1, 2], rowsWith([[...unit(5)], [...unit(6)], [...unit(7)]]));
  table.remove(0);
  table.put(1, unit(8));
  table.put(0, unit(9));
  const scanned = () => {
    const found: [number, number][] = [];
    table.scan(
      unit(9),
      () => true,
      (slot, cosine) => found.push([slot, cosine]),
    );
    return found.toSorted(([a], [b]) => a - b);
  };
  const expected = [
    [0, 1],
    [1, 0],
    [2, 0],
  ];
  const { bytes } = table;
  expect([scanned(), scanned(), scanned()]).toEqual([expected, expected, expected]);
  expect(table.size).toBe(3);
  expect(table.bytes).toBeGreaterThanOrEqual(bytes / 2);
});

test('a row returns each number bit by bit, including negative zero', () => {
  const number = fc.oneof(fc.constant(0), fc.constant(-0), fc.float());
  const numbers = fc.array(fc.oneof(fc.constant(0), number), { minLength: 1, maxLength: 100 });
  fc.assert(
    fc.property(numbers, (given) => {
      const row = rowOf(Float32Array.from(given));
      const rows = rowsOf(row, [row.length]);
      // A number that is none is no vector's, and may be taken for the head of a sparse row.
      fc.pre(!given.some(Number.isNaN));
      expect(rows === null ? null : [...numbersIn(rows)]).toStrictEqual(given);
    }),
  );
});

test('damaged rows and rows of different length are rejected', () => {
  const sparse = rowOf(Float32Array.from({ length: LENGTH }, (_, at) => (at === 3 ? 1 : 0)));
  const whole = rowOf(new Float32Array(LENGTH).fill(0.5));
  const both = Uint32Array.from([...sparse, ...whole]);
  expect(rowsOf(both, [sparse.length, whole.length])).toMatchObject({ dimensions: LENGTH });
  expect(rowsOf(both, [sparse.length, whole.length - 1])).toBeNull();
  expect(rowsOf(both, [sparse.length - 1, whole.length + 1])).toBeNull();
  expect(rowsOf(sparse.subarray(0, 2), [2])).toBeNull();
  expect(rowsOf(sparse.fill(0xff_ff_ff_ff, 0, 1), [sparse.length])).toBeNull();
  expect(rowsOf(whole, [0])).toBeNull();
});

test('areUnits checks the length of rows by their numbers', () => {
  const of = (number: number) =>
    rowOf(Float32Array.from({ length: LENGTH }, (_, at) => (at % 35 === 0 ? number : 0)));
  const unit = of(Math.SQRT1_2);
  const rows = (row: typeof unit) => rowsOf(row, [row.length]);
  expect(rows(unit)?.isSparse).toBe(true);
  expect([unit, of(0.7)].map(rows).map((each) => each !== null && areUnits(each))).toEqual([
    true,
    false,
  ]);
});

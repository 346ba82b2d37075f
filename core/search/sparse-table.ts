/**
 * The vectors of one generation as they were read from the file, most of their numbers zero. To
 * make them whole takes longer than one scan of what is there, so that waits for the second scan:
 * the first search of a process is answered sooner, and later ones as fast as those of any table.
 */
import { productsWithRows } from './sparse-product.ts';
import { chosenRows, type VectorRows } from './vector-rows.ts';
import { asCosine, createVectorTable, type VectorTable } from './vector-table.ts';

const BYTES_PER_NUMBER = 4;

interface ReadRows {
  readonly slots: readonly number[];
  readonly rows: VectorRows;
}

export function createSparseTable(dimensions: number): VectorTable {
  const whole = createVectorTable(dimensions);
  let read: ReadRows[] = [];
  /** By slot, the rows that hold its vector; none where it is whole or removed. */
  const rowsOf = new Map<number, ReadRows>();
  let isScanned = false;

  const makeWhole = (): void => {
    for (const each of read) {
      const { slots, rows } = each;
      const kept = [...slots.keys()].filter((at) => rowsOf.get(slots[at] ?? NO_SLOT) === each);
      const isAll = kept.length === slots.length;
      whole.append(
        kept.map((at) => slots[at] ?? NO_SLOT),
        isAll ? rows : chosenRows(rows, kept),
      );
    }
    read = [];
    rowsOf.clear();
  };

  return {
    get size() {
      return whole.size + rowsOf.size;
    },
    // What they take once they are whole: nobody asks again then.
    get bytes() {
      return whole.bytes + rowsOf.size * dimensions * BYTES_PER_NUMBER;
    },
    dimensions,
    check: (vector) => {
      whole.check(vector);
    },
    put(slot, unit) {
      rowsOf.delete(slot);
      whole.put(slot, unit);
    },
    append(slots, rows) {
      const added = { slots, rows };
      read.push(added);
      for (const slot of slots) rowsOf.set(slot, added);
    },
    remove(slot) {
      if (!rowsOf.delete(slot)) whole.remove(slot);
    },
    has: (slot) => rowsOf.has(slot) || whole.has(slot),
    cosine(slot, unit) {
      const held = rowsOf.get(slot);
      if (held === undefined) return whole.cosine(slot, unit);
      return asCosine(productsWithRows(unit, held.rows)(held.slots.indexOf(slot)));
    },
    scan(unit, wanted, visit) {
      if (isScanned) makeWhole();
      isScanned = true;
      for (const each of read) {
        const product = productsWithRows(unit, each.rows);
        for (const [at, slot] of each.slots.entries()) {
          if (rowsOf.get(slot) !== each || !wanted(slot)) continue;
          visit(slot, asCosine(product(at)));
        }
      }
      whole.scan(unit, wanted, visit);
    },
  };
}

const NO_SLOT = -1;

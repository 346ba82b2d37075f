/** The vectors of one generation as rows of words, most of them sparse, each of length 1. */
import { createRowPages, startOf } from './row-pages.ts';
import { productByRow, sparseProductWith } from './sparse-products.ts';
import { dotAt, productsWith } from './vector-kernel.ts';
import { endOfRow, isSparseAt, rowOf, type Words } from './vector-rows.ts';
import { asCosine, checkDimensions, type VectorTable } from './vector-table.ts';

/** What removed rows may keep: a share of all words, and what is not worth a copy of the rest. */
const LOST_SHARE_MAX = 0.5;
const LOST_WORDS_MIN = 65_536;

const BYTES_PER_WORD = 4;
const NO_ROW = -1;

export function createSparseTable(dimensions: number): VectorTable {
  let pages = createRowPages();
  /** By row. */
  const slots: number[] = [];
  const places: number[] = [];
  const rowOfSlot: number[] = [];
  let lost = 0;

  const placeOf = (slot: number): number | undefined => places[rowOfSlot[slot] ?? NO_ROW];
  const enter = (slot: number, place: number): void => {
    while (rowOfSlot.length <= slot) rowOfSlot.push(NO_ROW);
    rowOfSlot[slot] = slots.length;
    slots.push(slot);
    places.push(place);
  };
  const rowAt = (place: number): Words => {
    const { words } = pages.pageOf(place);
    return words.subarray(startOf(place), endOfRow(words, startOf(place), dimensions));
  };
  const remove = (slot: number): void => {
    const row = rowOfSlot[slot] ?? NO_ROW;
    const place = places[row];
    const [lastSlot, lastPlace] = [slots.at(-1), places.at(-1)];
    if (place === undefined || lastSlot === undefined || lastPlace === undefined) return;
    lost += rowAt(place).length;
    // The last row takes the empty place.
    slots[row] = lastSlot;
    places[row] = lastPlace;
    rowOfSlot[lastSlot] = row;
    rowOfSlot[slot] = NO_ROW;
    slots.pop();
    places.pop();
    if (lost >= LOST_WORDS_MIN && lost > pages.words * LOST_SHARE_MAX) compact();
  };
  const compact = (): void => {
    const fresh = createRowPages();
    for (const [row, place] of places.entries()) places[row] = fresh.add(rowAt(place));
    pages = fresh;
    lost = 0;
  };

  return {
    get size() {
      return slots.length;
    },
    get bytes() {
      const numbers = slots.length + places.length + rowOfSlot.length;
      return pages.words * BYTES_PER_WORD + numbers * 8;
    },
    dimensions,
    check: (vector) => {
      checkDimensions(vector, dimensions);
    },
    put(slot, unit) {
      remove(slot);
      enter(slot, pages.add(rowOf(Float32Array.from(unit))));
    },
    append(added, rows) {
      for (const [at, place] of pages.addAll(rows).entries()) enter(added[at] ?? NO_ROW, place);
    },
    remove,
    has: (slot) => placeOf(slot) !== undefined,
    cosine(slot, unit) {
      const place = placeOf(slot);
      if (place === undefined) return null;
      const { words, numbers } = pages.pageOf(place);
      const start = startOf(place);
      return asCosine(
        isSparseAt(words, start)
          ? productByRow(unit)(words, numbers, start)
          : dotAt(numbers, start, unit),
      );
    },
    scan(unit, wanted, visit) {
      const sparse = sparseProductWith(unit);
      const dense = productsWith(unit);
      // Plain loops and one page for many rows: a division for each would take as long as it.
      let page = pages.pageOf(0);
      let first = 0;
      for (let row = 0; row < places.length; row += 1) {
        const slot = slots[row] ?? NO_ROW;
        if (!wanted(slot)) continue;
        const place = places[row] ?? 0;
        if (place < first || place >= first + page.words.length) {
          page = pages.pageOf(place);
          first = place - startOf(place);
        }
        const { words, numbers } = page;
        const start = place - first;
        const product = isSparseAt(words, start)
          ? sparse(words, numbers, start)
          : dense.row(numbers, start);
        visit(slot, asCosine(product));
      }
    },
  };
}

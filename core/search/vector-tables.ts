/** The vectors of one scope, a table per generation. */
import { areUnits, unitVector } from './vector-kernel.ts';
import { createVectorTable, type VectorTable } from './vector-table.ts';

export interface VectorTables {
  readonly bytes: number;
  /** The table of a generation; undefined where no entry has a vector of it. */
  of(generation: string): VectorTable | undefined;
  /**
   * The vectors with length 1.
   * @throws VarveError INVALID_INPUT
   */
  checked(vectors: readonly GenerationVector[]): readonly UnitVector[];
  /** Vectors of a slot that has none. */
  put(slot: number, vectors: readonly UnitVector[]): void;
  /** As `put` for many slots that have none of the generation; false where one can't be. */
  append(slots: readonly number[], vectors: PackedVectors): boolean;
  remove(slot: number): void;
}

/** Vectors of one generation side by side. */
export interface PackedVectors {
  readonly generation: string;
  readonly dimensions: number;
  readonly numbers: Float32Array<ArrayBuffer>;
}

export interface GenerationVector {
  readonly generation: string;
  readonly vector: ArrayLike<number>;
}

/** A vector of length 1. */
export interface UnitVector {
  readonly generation: string;
  readonly unit: Float64Array;
}

export function createVectorTables(): VectorTables {
  const tables = new Map<string, VectorTable>();
  return {
    get bytes() {
      let sum = 0;
      for (const table of tables.values()) sum += table.bytes;
      return sum;
    },
    of: (generation) => tables.get(generation),
    checked: (vectors) =>
      vectors.map(({ generation, vector }) => {
        tables.get(generation)?.check(vector);
        return { generation, unit: unitVector(vector) };
      }),
    put(slot, vectors) {
      for (const { generation, unit } of vectors) {
        const table = tables.get(generation) ?? createVectorTable(unit.length);
        tables.set(generation, table);
        table.put(slot, unit);
      }
    },
    append(slots, { generation, dimensions, numbers }) {
      const table = tables.get(generation) ?? createVectorTable(dimensions);
      if (slots.length === 0) return true;
      if (dimensions === 0 || numbers.length !== slots.length * dimensions) return false;
      if (table.dimensions !== dimensions || !areUnits(numbers, dimensions)) return false;
      if (slots.some((slot) => table.has(slot))) return false;
      tables.set(generation, table);
      table.append(slots, numbers);
      return true;
    },
    remove(slot) {
      for (const [generation, table] of tables) {
        table.remove(slot);
        // A generation without vectors may return with other dimensions.
        if (table.size === 0) tables.delete(generation);
      }
    },
  };
}

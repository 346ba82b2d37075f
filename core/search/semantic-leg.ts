/** The semantic leg of a search: exact cosines with the vectors of a scope. */
import type { LegScores, QueryVector } from './scope-search.ts';
import { unitVector } from './vector-kernel.ts';
import type { VectorTable } from './vector-table.ts';
import type { VectorTables } from './vector-tables.ts';

export interface SemanticLeg {
  /** Visits each wanted slot that has a vector of one of the query's generations, once. */
  scan(wanted: (slot: number) => boolean, visit: (slot: number, cosine: number) => void): void;
  at(slot: number): Pick<LegScores, 'cosine' | 'generation'>;
}

interface Compared {
  readonly generation: string;
  readonly table: VectorTable;
  readonly unit: Float64Array;
}

/**
 * @param vectors the query in each generation; an entry is compared by the first that it has
 * @throws VarveError INVALID_INPUT for a vector that is zero, not finite or of a wrong length
 */
export function semanticLeg(tables: VectorTables, vectors: readonly QueryVector[]): SemanticLeg {
  const compared: readonly Compared[] = vectors.flatMap(({ generation, vector }) => {
    const unit = unitVector(vector);
    const table = tables.of(generation);
    table?.check(vector);
    return table === undefined ? [] : [{ generation, table, unit }];
  });
  return {
    scan(wanted, visit) {
      for (const [place, { table, unit }] of compared.entries()) {
        const earlier = compared.slice(0, place);
        const isFirst = (slot: number): boolean =>
          wanted(slot) && !earlier.some((before) => before.table.has(slot));
        table.scan(unit, place === 0 ? wanted : isFirst, visit);
      }
    },
    at(slot) {
      for (const { generation, table, unit } of compared) {
        const cosine = table.cosine(slot, unit);
        if (cosine !== null) return { cosine, generation };
      }
      return { cosine: null, generation: null };
    },
  };
}

/** One kind of rows, with what a write under way has changed and not yet made true. */
import type { Shape } from './rows.ts';

export interface Table<T> {
  get(...key: readonly (string | number)[]): T | null;
  /** The rows of a group, in no order. */
  group(...group: readonly (string | number)[]): readonly T[];
  /** Every row, in no order. */
  all(): readonly T[];
  /** Keeps a copy. */
  put(row: T): void;
  remove(row: T): void;
}

export interface StagedTable<T> extends Table<T> {
  /** Makes the staged changes true; answers the rows before and after them. */
  commit(): readonly Replaced<T>[];
  rollBack(): void;
}

export interface Replaced<T> {
  readonly before: T | null;
  readonly after: T | null;
}

/**
 * A table over `rows`. Rows that it gives out are those it keeps: they are not to be changed, and
 * are copied before a caller of the store sees them. `beforeWrite` is called before each change.
 */
export function stagedTable<T>(
  rows: Map<string, T>,
  { keyOf, groupOf }: Shape<T>,
  beforeWrite: () => void,
): StagedTable<T> {
  const staged = new Map<string, T | null>();
  const groups = new Map<string, Set<string>>();
  const nameOf = (parts: readonly (string | number)[]): string => JSON.stringify(parts);
  const current = (key: string): T | null => {
    const change = staged.get(key);
    return change === undefined ? (rows.get(key) ?? null) : change;
  };
  const join = (key: string, row: T): void => {
    const name = nameOf(groupOf(row));
    const keys = groups.get(name) ?? new Set();
    groups.set(name, keys.add(key));
  };
  for (const [key, row] of rows) join(key, row);

  const rowsOf = (keys: Iterable<string>): readonly T[] =>
    [...new Set(keys)].flatMap((key) => current(key) ?? []);
  return {
    get: (...key) => current(nameOf(key)),
    group(...group) {
      const name = nameOf(group);
      const added = [...staged].flatMap(([key, row]) =>
        row !== null && nameOf(groupOf(row)) === name ? [key] : [],
      );
      return rowsOf([...(groups.get(name) ?? []), ...added]);
    },
    all: () => rowsOf([...rows.keys(), ...staged.keys()]),
    put(row) {
      beforeWrite();
      staged.set(nameOf(keyOf(row)), structuredClone(row));
    },
    remove(row) {
      beforeWrite();
      staged.set(nameOf(keyOf(row)), null);
    },
    commit() {
      const replaced = [...staged].map(([key, after]) => {
        const before = rows.get(key) ?? null;
        if (before !== null) groups.get(nameOf(groupOf(before)))?.delete(key);
        if (after === null) rows.delete(key);
        else {
          rows.set(key, after);
          join(key, after);
        }
        return { before, after };
      });
      staged.clear();
      return replaced;
    },
    rollBack() {
      staged.clear();
    },
  };
}

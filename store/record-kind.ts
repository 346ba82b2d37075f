/**
 * A kind of record, declared once: its key, the columns that conditions and orders may use, and its
 * indexes. Both drivers make their tables and collections from it.
 */

/** What a column holds. */
export type Value = string | number | null;
/** The values of a kind's key fields, in their order; the tenant first, where there is one. */
export type Key = readonly (string | number)[];

export interface IndexShape {
  /** Key fields and columns, in order. */
  readonly columns: readonly string[];
  /** Records whose value of this column is null stay out of the index. */
  readonly whereSet?: string;
}

export interface RecordKind<R extends object> {
  /** Name of the collection, and in snake case of the table. */
  readonly name: string;
  /** Fields that are texts or numbers; unique together. */
  readonly key: readonly (keyof R & string)[];
  /** Computed from the record at each write, for conditions and orders; never read back. */
  readonly columns: Readonly<Record<string, (record: R) => Value>>;
  readonly indexes: Readonly<Record<string, IndexShape>>;
  /** Whether one key may come under several anchors, the first of which has it. */
  readonly isShared?: boolean;
}

/** Declares a kind; the type says what its records are. */
export function recordKind<R extends object>(
  shape: Pick<RecordKind<R>, 'name' | 'key'> & Partial<RecordKind<R>>,
): RecordKind<R> {
  return { columns: {}, indexes: {}, ...shape };
}

/** A kind whatever its records are; for lists of kinds, which only use what all of them have. */
export type AnyKind = RecordKind<never>;

export function keyOf<R extends object>(kind: RecordKind<R>, record: R): Key {
  // The schemas of the records make key fields texts and numbers.
  return kind.key.map((field) => record[field] as string | number);
}

/** One text for each key of a kind, for maps. */
export function keyText(key: Key): string {
  return JSON.stringify(key);
}

/** @throws RangeError for a name that is neither a key field nor a column of the kind */
export function columnValue<R extends object>(
  kind: RecordKind<R>,
  record: R,
  column: string,
): Value {
  const compute = kind.columns[column];
  if (compute !== undefined) return compute(record);
  const field = kind.key.find((each) => each === column);
  if (field === undefined) throw new RangeError(`${kind.name} has no column "${column}".`);
  return record[field] as string | number;
}

/** Whether records of the kind belong to a tenant, and are erased with it. */
export function hasTenant<R extends object>(kind: RecordKind<R>): boolean {
  return kind.key.some((field) => field === 'tenant');
}

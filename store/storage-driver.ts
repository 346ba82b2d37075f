/**
 * A storage driver: what the store needs from a database. The store makes every decision about
 * records; a driver only reads, scans and commits.
 *
 * Guarantees of a driver, checked by one suite for all drivers:
 * - every later call, in any process, reads the records that `commit` wrote;
 * - a commit is atomic, even if its process, connection or server dies, and even if a command is
 *   sent twice; if the outcome is unknown, the call fails and the revision of the anchor decides;
 * - a call resolves only once its writes are durable.
 */

type Operator = '=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in' | 'null or <=';

/** A column, an operator and a value; `in` and `not in` take a list. */
export type FieldCondition = readonly [
  column: string,
  operator: Operator,
  value: Value | readonly Value[],
];

/**
 * Returns conditions for columns that have these values, and for those of `others` that are
 * defined.
 */
export function equal(
  values: Readonly<Record<string, Value>>,
  others: Readonly<Record<string, Value | undefined>> = {},
): readonly FieldCondition[] {
  const defined = Object.entries(others).filter(([, value]) => value !== undefined);
  return [...Object.entries(values), ...defined].map(([column, value]) => [
    column,
    '=',
    value ?? null,
  ]);
}

export interface Scan {
  /** Index of the kind to use, if the order alone would suggest another one. */
  readonly index?: string;
  /**
   * Conditions, all of which must hold. Without a leading tenant condition a scan spans tenants.
   */
  readonly where: readonly FieldCondition[];
  /** Columns, ascending; the key if absent. Ties are ordered by key. */
  readonly order?: readonly string[];
  readonly descending?: boolean;
  /** Values of `order`: the scan returns only rows that come after them. */
  readonly after?: readonly Value[];
  readonly limit: number;
}

/** A record that other records belong to, with the revision that a commit compares. */
export interface Anchor<R> {
  /** Null if there is no record. */
  readonly record: R | null;
  /** Rises with every commit; 0 before the first. */
  readonly revision: number;
  /** Ids of each writer's latest commit, in case one is durable without its caller knowing. */
  readonly commits: readonly string[];
  /**
   * Identifies the first commit, for drivers that distinguish an anchor from a later one of the
   * same key.
   */
  readonly born?: string;
}

export interface Write {
  readonly kind: AnyKind;
  readonly key: Key;
  /** Null deletes the record with the key. */
  readonly record: object | null;
  /** Whether the key is believed free: a hint at what to try first. */
  readonly isNew?: boolean;
  /** Whether the key was free, so that another anchor may take it in the meantime. */
  readonly isContested?: boolean;
}

/**
 * A write set: the anchor, the records that belong to it, and insert-only records. A record keeps
 * its anchor for its whole life.
 */
export interface Commit<R extends object> {
  readonly kind: RecordKind<R>;
  readonly key: Key;
  /** Identifies the committer, which has at most one commit per anchor at a time. */
  readonly writer: string;
  /** Identifies this commit across repeats; starts with the writer and a slash. */
  readonly id: string;
  /** The state of the anchor that the write set is based on. */
  readonly anchor: Anchor<R>;
  /**
   * The newest revision read under the keys of the write set. The commit is ordered after it, even
   * if another anchor wrote it: a deleted record may reappear under another anchor.
   */
  readonly newest?: number;
  /** The new state of the anchor; null deletes it. */
  readonly record: R | null;
  readonly writes: readonly Write[];
  /** Inserted if their key is free; no later commit changes them. */
  readonly inserts: readonly (Write & { readonly record: object })[];
}

/** Maximum writes of one commit; larger write sets take several commits. */
export const COMMIT_WRITES_MAX = 1_000;
/**
 * Maximum characters of the records of one commit. MongoDB limits a document to 16 MB, and the
 * terms and vectors kept with a memory can be eight times the size of its content.
 */
export const COMMIT_LENGTH_MAX = 2_000_000;

/** Asks for the least value of a column in each group. */
export interface LeastScan {
  readonly index?: string;
  /** The column or key field that forms the groups. */
  readonly by: string;
  /** A numeric column; null values are ignored. */
  readonly column: string;
  readonly where: readonly FieldCondition[];
  /** `value` sorts by least value, then group; `group` sorts by group. */
  readonly order: 'value' | 'group';
  /** Only groups after this one; requires `order: 'group'`. */
  readonly after?: string | null;
  /**
   * Only groups with at least this least value, without the first `skip` of them; requires
   * `order: 'value'`.
   */
  readonly from?: number;
  readonly skip?: number;
  readonly limit: number;
}

export interface Least {
  readonly group: string;
  readonly least: number;
}

export interface Driver {
  /**
   * Whether anchors name their commits. If so, an anchor shows whether a failed commit succeeded,
   * and it may be retried.
   */
  readonly namesCommits: boolean;
  get<R extends object>(kind: RecordKind<R>, key: Key): Promise<R | null>;
  /**
   * Returns one answer per key, in the same order. Drivers that need revisions for their commits
   * call `seen` with the revision under each key, including marks of deleted records.
   */
  getMany<R extends object>(
    kind: RecordKind<R>,
    keys: readonly Key[],
    seen?: (revision: number) => void,
  ): Promise<(R | null)[]>;
  scan<R extends object>(kind: RecordKind<R>, scan: Scan): Promise<R[]>;
  count<R extends object>(
    kind: RecordKind<R>,
    where: readonly FieldCondition[],
    most?: number,
  ): Promise<number>;
  /** Returns groups, such as tenants, each with the least value of a column among its records. */
  least<R extends object>(kind: RecordKind<R>, scan: LeastScan): Promise<Least[]>;
  /** Returns the anchor once every earlier commit is complete. */
  anchor<R extends object>(kind: RecordKind<R>, key: Key): Promise<Anchor<R>>;
  /**
   * Commits and returns the new anchor. Returns null and writes nothing if the anchor has another
   * revision, or if another anchor took a key that was free. A call that fails may still have
   * committed: the anchor's commits then contain its id.
   */
  commit<R extends object>(commit: Commit<R>): Promise<Anchor<R> | null>;
  /** Returns false if the key is taken. Repeatable. */
  insert<R extends object>(kind: RecordKind<R>, record: R): Promise<boolean>;
  /**
   * Deletes up to `limit` records for good, in order of key and regardless of their anchor, and
   * overwrites their content if the database can. Returns the number deleted. A commit in progress
   * may write them again, so an erasure repeats this call until it returns 0.
   */
  erase<R extends object>(
    kind: RecordKind<R>,
    where: readonly FieldCondition[],
    limit: number,
  ): Promise<number>;
}

/** What a column holds. */
export type Value = string | number | null;
/** The values of a kind's key fields, in order; the tenant first, if there is one. */
export type Key = readonly (string | number)[];

export interface IndexShape {
  /** Key fields and columns, in order. */
  readonly columns: readonly string[];
  /** Records whose value of this column is null stay out of the index. */
  readonly whereSet?: string;
}

/**
 * A kind of record, declared once: its key, the columns that conditions and orders may use, and its
 * indexes. Both drivers create their tables and collections from it.
 */
export interface RecordKind<R extends object> {
  /** Name of the collection, and in snake case of the table. */
  readonly name: string;
  /** Fields that are texts or numbers; unique together. */
  readonly key: readonly (keyof R & string)[];
  /** Computed from the record at each write, for conditions and orders; never read back. */
  readonly columns: Readonly<Record<string, (record: R) => Value>>;
  readonly indexes: Readonly<Record<string, IndexShape>>;
  /** Whether several anchors may use the same key; the first of them gets it. */
  readonly isShared?: boolean;
  /** Whether every question lists its records, so that a driver should keep what it has parsed. */
  readonly isListedOften?: boolean;
}

/** Fields of a record that may be columns as they are. */
type PlainField<R> = { [F in keyof R]: R[F] extends Value ? F : never }[keyof R] & string;

/**
 * Declares a kind: the type parameter is its record, and `fields` are record fields that are
 * columns.
 */
export function recordKind<R extends object>({
  fields = [],
  columns,
  ...shape
}: Pick<RecordKind<R>, 'name' | 'key'> &
  Partial<RecordKind<R>> & { readonly fields?: readonly PlainField<R>[] }): RecordKind<R> {
  const plain = fields.map((field) => [field, (record: R) => record[field] as Value] as const);
  return { indexes: {}, ...shape, columns: { ...Object.fromEntries(plain), ...columns } };
}

/** A kind with any record, for lists of kinds, which only use what all kinds have. */
export type AnyKind = RecordKind<never>;

export function recordKey<R extends object>(kind: RecordKind<R>, record: R): Key {
  // The schemas of the records make key fields texts and numbers.
  return kind.key.map((field) => record[field] as string | number);
}

/** Returns a text that is unique per key of a kind, for maps. */
export function keyText(key: Key): string {
  return JSON.stringify(key);
}

/**
 * Returns the value of a key field or a column.
 * @throws RangeError for a name that is neither
 */
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

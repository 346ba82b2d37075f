/**
 * The driver port: what a database does for the store. Everything that is decided about records
 * stands in this package, once; a driver reads, scans and commits.
 *
 * Guarantees of a driver, checked by one suite on each:
 * - a record that `commit` wrote is read by every later call, of whatever process;
 * - a commit is whole or absent, also where its process, its connection or its server dies, and
 *   whether or not a command is sent twice; where that is unknown, the call fails and the revision
 *   of the anchor decides;
 * - what resolves is durable.
 */
import type { AnyKind, Key, RecordKind, Value } from './record-kind.ts';

export type Operator = '=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in' | 'null or <=';

/** A column with what its value must be; `in` and `not in` take a list. */
export type Condition = readonly [
  column: string,
  operator: Operator,
  value: Value | readonly Value[],
];

export interface Scan {
  /** The index of the kind to walk along, where the order alone would suggest another one. */
  readonly index?: string;
  /** All of them hold. A condition on the tenant comes first, or the scan is across tenants. */
  readonly where: readonly Condition[];
  /** Columns, ascending; the key where absent. The order of equal rows is that of their keys. */
  readonly order?: readonly string[];
  readonly descending?: boolean;
  /** Values of `order`: only what comes after them, in the order asked for. */
  readonly after?: readonly Value[];
  readonly limit: number;
}

/** A record that others belong to, with the revision that a commit names. */
export interface Anchor<R> {
  /** Null where there is none. */
  readonly record: R | null;
  /** Rises with every commit; 0 where nothing was ever committed. */
  readonly revision: number;
  /** Ids of the latest commit of each writer, where one may be in without its caller knowing. */
  readonly commits: readonly string[];
  /** Of its first commit, by the drivers that tell one anchor of a key from a later one. */
  readonly born?: string;
}

export interface Write {
  readonly kind: AnyKind;
  readonly key: Key;
  /** Null deletes what has the key. */
  readonly record: object | null;
  /** Whether it is not known that something has the key: a hint at what to try first. */
  readonly isNew?: boolean;
}

/**
 * A write set: the anchor, the records that belong to it, and records of others that are inserted
 * once. A record has one anchor for as long as it is there.
 */
export interface Commit<R extends object> {
  readonly kind: RecordKind<R>;
  readonly key: Key;
  /** Whoever commits: at most one commit of an anchor at a time. */
  readonly writer: string;
  /** Names this commit, whoever repeats it; begins with the writer and a slash. */
  readonly id: string;
  /** What the write set was decided on. */
  readonly anchor: Anchor<R>;
  /**
   * The newest revision of what was read under the keys of the write set. The commit comes after
   * it, also where another anchor wrote it: a record that was deleted may come again elsewhere.
   */
  readonly newest?: number;
  /** What the anchor becomes; null leaves none. */
  readonly record: R | null;
  readonly writes: readonly Write[];
  /** Inserted where nothing has their key; they are never changed by a later commit. */
  readonly inserts: readonly (Write & { readonly record: object })[];
}

/** Writes of one commit; what is larger is several commits. */
export const COMMIT_WRITES_MAX = 1_000;
/**
 * Characters of the records of one commit. MongoDB takes 16 MB a document, and keeps terms and
 * vectors beside a memory, which may be eight times its content.
 */
export const COMMIT_LENGTH_MAX = 2_000_000;

/** A question for the least value of a column by group. */
export interface LeastScan {
  readonly index?: string;
  /** The column or key field whose values are the groups. */
  readonly by: string;
  /** A column of numbers; null values count for nothing. */
  readonly column: string;
  readonly where: readonly Condition[];
  /** By the least value, then by group; or by group. */
  readonly order: 'value' | 'group';
  /** Only groups after this one; with `order: 'group'`. */
  readonly after?: string | null;
  /** Only groups whose least value is this or more, without the first of them; by value. */
  readonly from?: number;
  readonly skip?: number;
  readonly limit: number;
}

export interface Least {
  readonly group: string;
  readonly least: number;
}

export interface Driver {
  get<R extends object>(kind: RecordKind<R>, key: Key): Promise<R | null>;
  /**
   * One answer for each key, in their order; `seen` is called with the revisions of what has the
   * keys, marks of deleted records included, by the drivers whose commits need them.
   */
  getMany<R extends object>(
    kind: RecordKind<R>,
    keys: readonly Key[],
    seen?: (revision: number) => void,
  ): Promise<(R | null)[]>;
  scan<R extends object>(kind: RecordKind<R>, scan: Scan): Promise<R[]>;
  count<R extends object>(
    kind: RecordKind<R>,
    where: readonly Condition[],
    most?: number,
  ): Promise<number>;
  /** Groups, such as tenants, with the least value that a column has among their records. */
  least<R extends object>(kind: RecordKind<R>, scan: LeastScan): Promise<Least[]>;
  /** The anchor as it is once every commit before is whole. */
  anchor<R extends object>(kind: RecordKind<R>, key: Key): Promise<Anchor<R>>;
  /**
   * The anchor after it; null, and nothing is written, where it has another revision by now. One
   * that fails may be in: then its id is among the anchor's commits.
   */
  commit<R extends object>(commit: Commit<R>): Promise<Anchor<R> | null>;
  /** False where something has the key. Repeatable. */
  insert<R extends object>(kind: RecordKind<R>, record: R): Promise<boolean>;
  /**
   * Deletes records for good, whatever they belong to, at most `limit` of them, the first by their
   * keys; overwrites what they held where the database can. Answers how many there were. Whoever is
   * in the midst of a commit may write them again, so that an erasure is repeated until none is.
   */
  erase<R extends object>(
    kind: RecordKind<R>,
    where: readonly Condition[],
    limit: number,
  ): Promise<number>;
}

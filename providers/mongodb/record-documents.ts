/**
 * The documents of a kind of record. `_id` is the key; the record stands as JSON under `record`,
 * beside its columns, under `c`, and the revision of the anchor that wrote it.
 */
import { Binary, BSON, type Document, type IndexDescription } from 'mongodb';

import type { FieldCondition, Scan, AnyKind, Key, RecordKind, Value } from '#store/driver.ts';
import { parsedRecord } from '#store/stored-form.ts';

/** How long the mark of a deleted record stays, so that a late write does not bring it back. */
const GONE_SECONDS = 24 * 60 * 60;

/** The rest of a commit, in its anchor until it is applied. */
export interface RedoEntry {
  readonly id: string;
  /** `RedoWrite`s as one value, which no server takes apart; see `encodeWrites`. */
  readonly writes: Binary;
}

export interface RedoWrite {
  readonly collection: string;
  readonly document: RecordDocument;
  /**
   * `Insert` and `Replace` end alike, and differ in what is tried first; `InsertOnce` leaves what
   * has the key as it is.
   */
  readonly way: 'Insert' | 'InsertOnce' | 'Replace';
}

export interface RecordDocument {
  readonly _id: Readonly<Record<string, string | number>>;
  readonly revision: number;
  /** Null for an anchor without a record of its own, and for the mark of a deleted record. */
  readonly record: string | null;
  readonly c?: Readonly<Record<string, Value>>;
  /** When the record was deleted, for the removal of its mark. */
  readonly goneAt?: Date;
  /** The anchor that it belongs to; anchors have none. */
  readonly of?: RecordDocument['_id'];
  /** The anchor that is about to write a key: its collection and `_id`. */
  readonly claim?: string;
  /** Of anchors. */
  readonly commits?: readonly string[];
  readonly redo?: RedoEntry | null;
  readonly born?: string;
}

/** How the records of a kind become documents, where that is more than columns and JSON. */
export interface DocumentForm<R extends object> {
  encode(record: R): Readonly<Record<string, unknown>>;
  /** What only searches and lists ask for; no entry holds it, since it follows from the record. */
  derive(record: R): Readonly<Record<string, unknown>>;
  /** Fields that scans leave out; `decode` does without them. */
  readonly unscanned: readonly string[];
  decode(document: RecordDocument & Document): R;
}

export function encodeWrites(writes: readonly RedoWrite[]): Binary {
  return new Binary(BSON.serialize({ writes }, { ignoreUndefined: true }));
}

export function decodeWrites({ buffer }: Binary): readonly RedoWrite[] {
  return BSON.deserialize(buffer)['writes'] as readonly RedoWrite[];
}

export function idOf(kind: AnyKind, key: Key): RecordDocument['_id'] {
  const _id: Record<string, string | number> = {};
  for (const [at, field] of kind.key.entries()) _id[field] = key[at] ?? '';
  return _id;
}

export function encodeRecord<R extends object>(
  kind: RecordKind<R>,
  key: Key,
  { record, revision }: { readonly record: R | null; readonly revision: number },
  form?: DocumentForm<R>,
): RecordDocument {
  const _id = idOf(kind, key);
  if (record === null) return { _id, revision, record: null };
  if (form !== undefined) return { _id, revision, record: null, ...form.encode(record) };
  return { _id, revision, record: JSON.stringify(record), c: columnsOf(kind, record) };
}

/** Without those that are null, since no condition or order tells null from absent. */
export function columnsOf<R extends object>(
  kind: RecordKind<R>,
  record: R,
): Readonly<Record<string, Value>> {
  const columns: Record<string, Value> = {};
  for (const [name, compute] of Object.entries(kind.columns)) {
    const value = compute(record);
    if (value !== null) columns[name] = value;
  }
  return columns;
}

export function decodeRecord<R extends object>(
  kind: RecordKind<R>,
  document: RecordDocument,
  form?: DocumentForm<R>,
): R | null {
  if (document.record === null) return null;
  return form?.decode(document) ?? (parsedRecord(kind.name, document.record) as R);
}

/** What stays of a deleted record: nothing that anybody said. */
export function goneDocument(
  kind: AnyKind,
  key: Key,
  revision: number,
  now: number,
): RecordDocument {
  return { _id: idOf(kind, key), revision, record: null, goneAt: new Date(now) };
}

/** The condition of a scan, of records that are there. */
export function filterOf(kind: AnyKind, { where, after, order, descending }: ScanPlace): Document {
  const terms = [{ record: { $ne: null } }, ...where.map((each) => termOf(kind, each))];
  if (after !== undefined) {
    const columns = (order ?? kind.key).slice(0, after.length);
    terms.push(
      laterThan(
        columns.map((column) => pathOf(kind, column)),
        after,
        descending === true,
      ),
    );
  }
  return { $and: terms };
}

type ScanPlace = Pick<Scan, 'where' | 'after' | 'order' | 'descending'>;

export function sortOf(
  kind: AnyKind,
  { order = kind.key, descending = false }: ScanPlace,
): Readonly<Record<string, 1 | -1>> {
  const columns = [...order, ...kind.key.filter((field: string) => !order.includes(field))];
  const direction = descending ? -1 : 1;
  return Object.fromEntries(columns.map((column) => [pathOf(kind, column), direction]));
}

/** Where a key field or column lies in a document. */
export function pathOf(kind: AnyKind, column: string): string {
  return kind.key.includes(column) ? `_id.${column}` : `c.${column}`;
}

const OPERATORS = {
  '<': '$lt',
  '<=': '$lte',
  '>': '$gt',
  '>=': '$gte',
  in: '$in',
  'not in': '$nin',
} as const;

export function termOf(kind: AnyKind, [column, operator, value]: FieldCondition): Document {
  const path = pathOf(kind, column);
  if (operator === '=') return { [path]: value };
  if (operator === 'null or <=') return { $or: [{ [path]: null }, { [path]: { $lte: value } }] };
  return { [path]: { [OPERATORS[operator]]: value } };
}

/** Above the values, the first column deciding before the next. */
function laterThan(
  paths: readonly string[],
  values: readonly Value[],
  descending: boolean,
): Document {
  const beyond = descending ? '$lt' : '$gt';
  const cases = paths.map((path, at) => ({
    ...Object.fromEntries(paths.slice(0, at).map((each, index) => [each, values[index]])),
    [path]: { [beyond]: values[at] },
  }));
  const [only] = cases;
  return cases.length === 1 && only !== undefined ? only : { $or: cases };
}

/** A name identifies an index: a changed one gets a new name. */
export function indexesOf(kind: AnyKind): readonly IndexDescription[] {
  const byKey = index('by_key', kind, kind.key);
  const declared = Object.entries(kind.indexes).map(([name, { columns }]) => {
    return index(name, kind, columns);
  });
  const byGone = { name: 'by_gone', key: { goneAt: 1 }, expireAfterSeconds: GONE_SECONDS } as const;
  return [byKey, ...declared, byGone];
}

function index(name: string, kind: AnyKind, columns: readonly string[]): IndexDescription {
  return { name, key: Object.fromEntries(columns.map((column) => [pathOf(kind, column), 1])) };
}

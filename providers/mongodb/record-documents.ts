/**
 * The documents of a kind of record. `_id` is the key, `record` the record as JSON, `c` its
 * columns, and `revision` the revision of the anchor that wrote it.
 */
import { Binary, BSON, type Document, type IndexDescription } from 'mongodb';
import type {
  FieldCondition,
  Scan,
  AnyKind,
  Key,
  RecordKind,
  Value,
} from '#store/storage-driver.ts';
import { parsedRecord } from '#store/record-and-schema-checks.ts';

/** How long the mark of a deleted record stays, so that a late write cannot restore it. */
const GONE_SECONDS = 24 * 60 * 60;

/** The rest of a commit, in its anchor until it is applied. */
interface RedoEntry {
  readonly id: string;
  /** The `RedoWrite`s as one opaque value; see `encodeWrites`. */
  readonly writes: Binary;
}

export interface RedoWrite {
  readonly collection: string;
  readonly document: RecordDocument;
  /**
   * `Insert` and `Replace` have the same result and differ in what is tried first; `InsertOnce`
   * leaves an existing document as it is.
   */
  readonly way: 'Insert' | 'InsertOnce' | 'Replace';
}

export interface RecordDocument {
  readonly _id: Readonly<Record<string, string | number>>;
  readonly revision: number;
  /** Null for an anchor without its own record, and for the mark of a deleted record. */
  readonly record: string | null;
  readonly c?: Readonly<Record<string, Value>>;
  /** When the record was deleted; its mark is removed some time later. */
  readonly goneAt?: Date;
  /** The anchor that the document belongs to; absent for anchors. */
  readonly of?: RecordDocument['_id'];
  /** The anchor that is about to write a key: its collection and `_id`. */
  readonly claim?: string;
  /** For anchors only, like the next two fields. */
  readonly commits?: readonly string[];
  readonly redo?: RedoEntry | null;
  readonly born?: string;
}

/** How records of a kind become documents, if that takes more than columns and JSON. */
export interface DocumentForm<R extends object> {
  encode(record: R): Readonly<Record<string, unknown>>;
  /** Fields for searches and lists only. Redo entries omit them: the record determines them. */
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

/** Returns the columns that are not null: conditions and order do not tell null from absent. */
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

/** Returns the mark of a deleted record, which contains nothing that anybody said. */
export function goneDocument(
  kind: AnyKind,
  key: Key,
  revision: number,
  now: number,
): RecordDocument {
  return { _id: idOf(kind, key), revision, record: null, goneAt: new Date(now) };
}

/** Returns the condition of a scan, limited to existing records. */
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

/** Returns the path of a key field or column in a document. */
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

/** The condition for rows after the values, in lexicographic order of the columns. */
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

/** A name identifies an index: a changed index gets a new name. */
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

/** A record as a document, and back. */
import { unreadable } from './failure.ts';

/** A record's own fields, without those of its key. */
export type Fields = Readonly<Record<string, unknown>>;

export interface RecordShape<T> {
  readonly name: string;
  /** What fields mean that documents of an earlier version lack. */
  readonly absent?: Partial<T>;
  /** Fields that make up `_id`, the tenant first. */
  readonly key: readonly (keyof T & string)[];
  /**
   * Fields of free form, kept as JSON: their names may hold dots and dollars, their depth has no
   * bound, and a field called `_bsontype` would be taken for an instruction by the driver.
   */
  readonly free?: readonly (keyof T & string)[];
}

export interface RecordDocument {
  readonly _id: { readonly tenant: string };
  readonly record: Fields;
}

/** The key of a record; its fields are in the order of the shape, since MongoDB compares so. */
export function keyOf<T extends object>(
  shape: RecordShape<T>,
  record: Partial<T> & { readonly tenant: string },
): { readonly tenant: string } & Fields {
  const id = Object.fromEntries(shape.key.map((field) => [field, record[field]]));
  return { ...id, tenant: record.tenant };
}

export function encodeRecord<T extends { readonly tenant: string }>(
  shape: RecordShape<T>,
  record: T,
): RecordDocument {
  const rest: Record<string, unknown> = { ...record };
  for (const field of shape.key) delete rest[field];
  for (const field of shape.free ?? []) rest[field] = JSON.stringify(rest[field]);
  return { _id: keyOf(shape, record), record: rest };
}

/** Records were parsed before they were written; only damage can make one unreadable. */
export function decodeRecord<T>(shape: RecordShape<T>, { _id, record }: RecordDocument): T {
  const found: Record<string, unknown> = { ...shape.absent, ...record, ..._id };
  for (const field of shape.free ?? []) found[field] = parseJson(shape.name, found[field]);
  return found as T;
}

function parseJson(name: string, text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch (cause) {
    throw unreadable(name, cause);
  }
}

/**
 * The index of a scope, but for its vectors, as it is kept in the file: what a process finds there
 * it need not build, and only catches up with what was touched since.
 *
 * Guarantees: it is written in one transaction, with the touch that it is as of; an index that was
 * built before an erasure is not kept after it. What is damaged or of another format is as if it
 * were not there.
 */
import { crc32 } from 'node:zlib';
import type { Scope } from '#core/scope.ts';
import type { PackedIndex } from '#core/search/scope-index.ts';
import type { PackedEntries } from '#core/search/scope-entries.ts';
import type { Connection } from '../connection.ts';
import { uint32View } from '../memory-vectors.ts';

/** Raise it with any change of the parts or of the content of an entry. */
const FORMAT = 2;

/** In the order of the checksum. */
const PARTS = ['head', 'entries', 'terms', 'ends', 'occurrences', 'lengths'] as const;
type Part = (typeof PARTS)[number];
const CHECKSUM = 'checksum';

const READ = 'SELECT part, bytes FROM memory_indexes WHERE tenant = ? AND place = ?';
const DELETE = 'DELETE FROM memory_indexes WHERE tenant = ? AND place = ?';
const INSERT = 'INSERT INTO memory_indexes VALUES (?, ?, ?, ?)';
const TIMES_ERASED = 'SELECT times FROM indexes_erased';

/** The statements of this file, so that a test can ask how SQLite finds their rows. */
export const KEPT_STATEMENTS = [READ, DELETE] as const;

interface Head {
  readonly format: number;
  /** Last touch of the scope that the index knows. */
  readonly seq: number;
  /** What the index took in memory with its vectors. */
  readonly bytes: number;
}

export interface KeptIndex extends Omit<Head, 'format'> {
  readonly packed: PackedIndex;
}

/** Null where none is kept that can be used. */
export function readKept(connection: Connection, scope: Scope): KeptIndex | null {
  const found = new Map<unknown, Uint8Array<ArrayBuffer>>();
  for (const { part, bytes } of connection.iterate(READ, placeOf(scope))) {
    if (bytes instanceof Uint8Array) found.set(part, bytes);
  }
  const parts = PARTS.flatMap((part) => found.get(part) ?? []);
  const [head, entries, terms, ...rest] = parts;
  const [ends, occurrences, lengths] = rest.map(uint32View);
  if (head === undefined || entries === undefined || terms === undefined) return null;
  if (ends === undefined || occurrences === undefined || lengths === undefined) return null;
  const checksum = found.get(CHECKSUM);
  if (checksum === undefined || textOf(checksum) !== checksumOf(parts)) return null;
  // Whole as it is, it is what this program wrote.
  const { format, seq, bytes } = JSON.parse(textOf(head)) as Head;
  if (format !== FORMAT) return null;
  const joined = textOf(terms);
  const postings = {
    // No term holds a space.
    terms: joined === '' ? [] : joined.split(' '),
    ends,
    occurrences,
    lengths,
  };
  return {
    seq,
    bytes,
    packed: { entries: JSON.parse(textOf(entries)) as PackedEntries, postings },
  };
}

/**
 * Keeps an index in place of the one before; false, and nothing is written, where indexes were
 * erased since it was read.
 * @param timesErased as `timesErased` was in the snapshot that the index is of
 */
export async function writeKept(
  connection: Connection,
  scope: Scope,
  { seq, bytes, packed, timesErased: before }: KeptIndex & { readonly timesErased: number },
): Promise<boolean> {
  const { entries, postings } = packed;
  const head: Head = { format: FORMAT, seq, bytes };
  const of: Readonly<Record<Part, Uint8Array>> = {
    head: bytesOf(JSON.stringify(head)),
    entries: bytesOf(JSON.stringify(entries)),
    terms: bytesOf(postings.terms.join(' ')),
    ends: bytesIn(postings.ends),
    occurrences: bytesIn(postings.occurrences),
    lengths: bytesIn(postings.lengths),
  };
  const checksum = bytesOf(checksumOf(PARTS.map((part) => of[part])));
  return connection.write(() => {
    if (timesErased(connection) !== before) return false;
    connection.run(DELETE, placeOf(scope));
    for (const part of PARTS) connection.run(INSERT, [...placeOf(scope), part, of[part]]);
    connection.run(INSERT, [...placeOf(scope), CHECKSUM, checksum]);
    return true;
  });
}

/** Rises whenever indexes are erased. */
export function timesErased(connection: Connection): number {
  return Number(connection.first(TIMES_ERASED)?.['times'] ?? 0);
}

/** Call it in the transaction that erases indexes of any tenant. */
export function noteErased(connection: Connection): void {
  connection.run(
    `INSERT INTO indexes_erased VALUES (1, 1) ON CONFLICT (one) DO UPDATE SET times = times + 1`,
  );
}

/** No layer has a slash. */
function placeOf({ tenant, layer, scopeId }: Scope): [string, string] {
  return [tenant, `${layer}/${scopeId}`];
}

function checksumOf(parts: readonly Uint8Array[]): string {
  let sum = 0;
  for (const part of parts) sum = crc32(part, sum);
  return `${String(sum)} ${parts.map(({ length }) => length).join(' ')}`;
}

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text);
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

function bytesIn({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/**
 * Saves the index of a scope, without its vectors, in the file. A process that finds it need not
 * build it, and only catches up with later touches.
 *
 * Guarantees: it is written in one transaction, with the last touch that it includes; an index
 * built before an erasure is not saved after it. A damaged index, or one of another format, is
 * ignored.
 */
import { crc32 } from 'node:zlib';
import type { Scope } from '#core/scope.ts';
import type { PackedIndex } from '#core/search/scope-index.ts';
import type { PackedEntries } from '#core/search/scope-entries.ts';
import type { Connection } from '../connection.ts';
import { uint32View } from '../memory-vectors.ts';

/** Raise this with any change of the parts or of the content of an entry. */
const FORMAT = 2;

/** The parts, in the order of the checksum. */
const PARTS = ['head', 'entries', 'terms', 'ends', 'occurrences', 'lengths'] as const;
type Part = (typeof PARTS)[number];
const CHECKSUM = 'checksum';

const READ = 'SELECT part, bytes FROM memory_indexes WHERE tenant = ? AND place = ?';
const DELETE = 'DELETE FROM memory_indexes WHERE tenant = ? AND place = ?';
const INSERT = 'INSERT INTO memory_indexes VALUES (?, ?, ?, ?)';
const TIMES_ERASED = 'SELECT times FROM indexes_erased';

/** Statements of this file, exported for a test of how SQLite finds their rows. */
export const KEPT_STATEMENTS = [READ, DELETE] as const;

interface Head {
  readonly format: number;
  /** Last touch of the scope that the index knows. */
  readonly seq: number;
  /** Memory that the index took, including its vectors. */
  readonly bytes: number;
}

export interface KeptIndex extends Omit<Head, 'format'> {
  readonly packed: PackedIndex;
}

/** Reads a saved index; null if there is no usable one. */
export function readKept(connection: Connection, scope: Scope): KeptIndex | null {
  const found = new Map<unknown, Uint8Array<ArrayBuffer>>();
  for (const { part, bytes } of connection.iterate(READ, keptIndexKey(scope))) {
    if (bytes instanceof Uint8Array) found.set(part, bytes);
  }
  const parts = PARTS.flatMap((part) => found.get(part) ?? []);
  const [head, entries, terms, ...rest] = parts;
  const [ends, occurrences, lengths] = rest.map(uint32View);
  if (head === undefined || entries === undefined || terms === undefined) return null;
  if (ends === undefined || occurrences === undefined || lengths === undefined) return null;
  const checksum = found.get(CHECKSUM);
  if (checksum === undefined || textOf(checksum) !== checksumOf(parts)) return null;
  // The checksum matches, so it is what this program wrote.
  const { format, seq, bytes } = JSON.parse(textOf(head)) as Head;
  if (format !== FORMAT) return null;
  const joined = textOf(terms);
  const postings = {
    // No term contains a space.
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
 * Saves an index in place of the previous one. Returns false, without a write, if indexes were
 * erased since the index was read.
 * @param timesErased result of `timesErased` in the snapshot of the index
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
    connection.run(DELETE, keptIndexKey(scope));
    for (const part of PARTS) connection.run(INSERT, [...keptIndexKey(scope), part, of[part]]);
    connection.run(INSERT, [...keptIndexKey(scope), CHECKSUM, checksum]);
    return true;
  });
}

/** Returns a number that rises whenever indexes are erased. */
export function timesErased(connection: Connection): number {
  return Number(connection.first(TIMES_ERASED)?.['times'] ?? 0);
}

/** Records an erasure; call it in the transaction that erases indexes of any tenant. */
export function noteErased(connection: Connection): void {
  connection.run(
    `INSERT INTO indexes_erased VALUES (1, 1) ON CONFLICT (one) DO UPDATE SET times = times + 1`,
  );
}

/** Returns the key of a scope; no layer contains a slash. */
function keptIndexKey({ tenant, layer, scopeId }: Scope): [string, string] {
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

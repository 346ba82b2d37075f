/** Receipts of erasures: fingerprints of what was erased, and the chain of hashes. Pure. */
import type { Digest } from '../hash.ts';
import { citationOf } from '../memory-files/turn-citation.ts';
import {
  ERASED_KINDS,
  FINGERPRINTS_MAX,
  type ErasedIds,
  type ErasedOfKind,
  type ErasureLedger,
  type ErasureReceipt,
  type ErasureTarget,
  type FileTraces,
  type PendingErasure,
} from '../records/erasure.ts';

const FINGERPRINT_DIGITS = 32;

/** A reader who knows an id can find it in the receipt; the receipt reveals no id. */
export function fingerprintOf(
  digest: Digest,
  receiptId: string,
  { kind, id }: { readonly kind: string; readonly id: string },
): string {
  return digest(`${receiptId}\n${kind}\n${id}`).slice(0, FINGERPRINT_DIGITS);
}

/** Adds what a pass found to earlier passes: an id that is found again counts once. */
export function withErased(
  before: readonly ErasedOfKind[],
  ids: ErasedIds,
  { digest, receiptId }: { readonly digest: Digest; readonly receiptId: string },
): ErasedOfKind[] {
  return ERASED_KINDS.flatMap((kind) => {
    const known = before.find((each) => each.kind === kind) ?? { kind, count: 0, fingerprints: [] };
    const seen = new Set(known.fingerprints);
    const found = new Set(
      (ids[kind] ?? []).map((id) => fingerprintOf(digest, receiptId, { kind, id })),
    );
    const all = seen.union(found);
    // A pass that died had counted some ids; what is left of them is found again.
    const count = Math.max(known.count, all.size);
    if (count === 0) return [];
    return [{ kind, count, fingerprints: [...all].slice(0, FINGERPRINTS_MAX) }];
  });
}

/** Adds records of a tenant that a step deleted: they are counted, not named. */
export function withRecords(before: readonly ErasedOfKind[], taken: number): ErasedOfKind[] {
  const count = (before[0]?.count ?? 0) + taken;
  return [{ kind: 'Record', count, fingerprints: [] }];
}

/** Returns the target as a receipt shows it; the receipt itself names the tenant. */
export function redactedTarget(
  digest: Digest,
  receiptId: string,
  target: ErasureTarget,
): PendingErasure['of'] {
  const { kind } = target;
  const id = nameOf(target);
  return { kind, fingerprint: id === null ? null : fingerprintOf(digest, receiptId, { kind, id }) };
}

/** A turn is named with its session, as lines of Markdown files cite it. */
function nameOf(target: ErasureTarget): string | null {
  if (target.kind === 'Tenant') return null;
  return target.kind === 'Turn' ? citationOf(target) : target.id;
}

/** Returns whether an erasure has the same target, even after its name was deleted. */
export function isPendingOf(
  digest: Digest,
  { id, of }: Pick<PendingErasure, 'id' | 'of'>,
  target: ErasureTarget,
): boolean {
  return of.fingerprint === redactedTarget(digest, id, target).fingerprint;
}

/**
 * Returns a text that changes with every progress of a tenant's erasures: when one is requested,
 * finds more, finds nothing left, or gets its receipt.
 */
export function erasureRevision({ receipts, pending }: ErasureLedger): string {
  const open = pending.map(({ id, target, erased }) => [
    id,
    target === null,
    erased.reduce((sum, { count }) => sum + count, 0),
  ]);
  return JSON.stringify([receipts, open]);
}

/** Returns whether the ids are empty. */
export function isNothing(ids: ErasedIds): boolean {
  return Object.values(ids).every((each) => each.length === 0);
}

interface ErasureEnd {
  readonly digest: Digest;
  readonly erasedAt: number;
  readonly files: FileTraces;
}

/** Returns the receipt of a completed erasure, as the next one of the chain. */
export function sealReceipt(
  { tenant, receipts, hash: previousHash }: ErasureLedger,
  { id, of, by, again, requestedAt, erased }: PendingErasure,
  { digest, erasedAt, files }: ErasureEnd,
): ErasureReceipt {
  const sequence = receipts + 1;
  const named = { tenant, sequence, id, of, by, again };
  const body = { ...named, requestedAt, erasedAt, erased, files, previousHash };
  return { ...body, hash: hashOf(digest, body) };
}

/** Returns the previous hash of a tenant's first receipt. */
export function firstHash(digest: Digest): string {
  return digest('');
}

/** Returns the number of the first receipt that was changed; null if none was. */
export function brokenAt(
  digest: Digest,
  receipts: readonly ErasureReceipt[],
  { sequence, hash }: { readonly sequence: number; readonly hash: string },
): number | null {
  let before = { sequence, hash };
  for (const { hash: own, ...body } of receipts) {
    const follows = body.sequence === before.sequence + 1 && body.previousHash === before.hash;
    if (!follows || hashOf(digest, body) !== own) return before.sequence + 1;
    before = { sequence: body.sequence, hash: own };
  }
  return null;
}

/** Returns whether a receipt is unchanged since it was made. */
export function isAsWritten(digest: Digest, { hash, ...body }: ErasureReceipt): boolean {
  return hashOf(digest, body) === hash;
}

function hashOf(digest: Digest, body: Omit<ErasureReceipt, 'hash'>): string {
  return digest(canonical(body));
}

/** Returns JSON with sorted object fields: a database may return them in another order. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`);
  return `{${fields.join(',')}}`;
}

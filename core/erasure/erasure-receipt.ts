/** Receipts of erasures: fingerprints of what is gone, and the chain of hashes. Pure. */
import type { Digest } from '../hash.ts';
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

/** A reader who knows the id finds it in the receipt; the receipt reveals no id. */
export function fingerprintOf(
  digest: Digest,
  receiptId: string,
  { kind, id }: { readonly kind: string; readonly id: string },
): string {
  return digest(`${receiptId}\n${kind}\n${id}`).slice(0, FINGERPRINT_DIGITS);
}

/** What a pass found, beside what passes before it did: an id that is found again counts once. */
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
    // What a pass that died had counted is found again, as far as it is left.
    const count = Math.max(known.count, all.size);
    if (count === 0) return [];
    return [{ kind, count, fingerprints: [...all].slice(0, FINGERPRINTS_MAX) }];
  });
}

/** Records of a tenant that a step took, beside those before: they are counted, and not named. */
export function withRecords(before: readonly ErasedOfKind[], taken: number): ErasedOfKind[] {
  const count = (before[0]?.count ?? 0) + taken;
  return [{ kind: 'Record', count, fingerprints: [] }];
}

/** What a receipt says that it is of: a tenant is named by the receipt itself. */
export function ofTarget(
  digest: Digest,
  receiptId: string,
  target: ErasureTarget,
): PendingErasure['of'] {
  const fingerprint = target.kind === 'Tenant' ? null : fingerprintOf(digest, receiptId, target);
  return { kind: target.kind, fingerprint };
}

/** Whether it is of the same, also once its name is forgotten. */
export function isPendingOf(
  digest: Digest,
  { id, of }: Pick<PendingErasure, 'id' | 'of'>,
  target: ErasureTarget,
): boolean {
  return of.fingerprint === ofTarget(digest, id, target).fingerprint;
}

/**
 * How far the erasures of a tenant have come: another text once one was asked for, found more,
 * found that nothing is left, or has its receipt.
 */
export function progressOf({ receipts, pending }: ErasureLedger): string {
  const open = pending.map(({ id, target, erased }) => [
    id,
    target === null,
    erased.reduce((sum, { count }) => sum + count, 0),
  ]);
  return JSON.stringify([receipts, open]);
}

/** Whether there is nothing of it. */
export function isNothing(ids: ErasedIds): boolean {
  return Object.values(ids).every((each) => each.length === 0);
}

export interface Ending {
  readonly digest: Digest;
  readonly erasedAt: number;
  readonly files: FileTraces;
}

/** The receipt of an erasure that is done, as the next of its chain. */
export function sealed(
  { tenant, receipts, hash: previousHash }: ErasureLedger,
  { id, of, by, again, requestedAt, erased }: PendingErasure,
  { digest, erasedAt, files }: Ending,
): ErasureReceipt {
  const sequence = receipts + 1;
  const named = { tenant, sequence, id, of, by, again };
  const body = { ...named, requestedAt, erasedAt, erased, files, previousHash };
  return { ...body, hash: hashOf(digest, body) };
}

/** What the first receipt of a tenant follows. */
export function firstHash(digest: Digest): string {
  return digest('');
}

/** The number of the first receipt that is not as it was written; null where all of them are. */
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

/** Whether nothing of it was changed since it was made. */
export function isAsWritten(digest: Digest, { hash, ...body }: ErasureReceipt): boolean {
  return hashOf(digest, body) === hash;
}

function hashOf(digest: Digest, body: Omit<ErasureReceipt, 'hash'>): string {
  return digest(canonical(body));
}

/** JSON with the fields of every object in one order: a database may give them back in another. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`);
  return `{${fields.join(',')}}`;
}

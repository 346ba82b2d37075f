/** Idempotency keys: the first claim of a key is decided by the unique `_id`. */
import { VarveError } from '#core/errors.ts';
import type { IdempotencyClaim, IdempotencyRecords } from '#core/ports/idempotency-records.ts';
import { IDEMPOTENCY_MS } from '#core/records/bookkeeping.ts';

import { byId, type Table } from './table.ts';

export interface IdempotencyDocument {
  readonly _id: { readonly tenant: string; readonly key: string };
  readonly bodyHash: string;
  readonly operationId: string;
  readonly startedAt: number;
  readonly expiresAt: number;
  /** As JSON; null until there is one. */
  readonly answer: string | null;
}

export type IdempotencyDocuments = Table<IdempotencyDocument>;

type Claim = Parameters<IdempotencyRecords['claim']>[0];

/** Tries against others that claim or release the same key. */
const TRIES_MAX = 32;
/** Keys forgotten by one sweep. */
const SWEPT_MAX = 1_000;

export function idempotencyRecords(keys: IdempotencyDocuments): IdempotencyRecords {
  return {
    claim: (claim) => claimKey(keys, claim),
    async answer(tenant, key, answer) {
      const open = { ...byId(keyId(tenant, key)), answer: null };
      await keys.update(open, { $set: { answer: JSON.stringify(answer ?? null) } });
    },
    async release(tenant, key, operationId) {
      await keys.remove({ ...byId(keyId(tenant, key)), operationId, answer: null });
    },
    async sweep(tenant, now) {
      const ended = { '_id.tenant': tenant, expiresAt: { $lte: now } };
      const selection = { sort: { expiresAt: 1 }, limit: SWEPT_MAX, fields: ['_id'] } as const;
      const found = await keys.select(ended, selection);
      if (found.length === 0) return 0;
      return keys.removeAll({
        _id: { $in: found.map(({ _id }) => _id) },
        expiresAt: { $lte: now },
      });
    },
  };
}

async function claimKey(keys: IdempotencyDocuments, claim: Claim): Promise<IdempotencyClaim> {
  const { tenant, key, bodyHash, operationId, now } = claim;
  const _id = keyId(tenant, key);
  const expiresAt = now + IDEMPOTENCY_MS;
  const made = { _id, bodyHash, operationId, startedAt: now, expiresAt, answer: null };
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    if (await keys.insert(made)) return { kind: 'New', operationId };
    const found = await keys.first(byId(_id));
    if (found === null) continue;
    if (found.expiresAt > now) return claimedBefore(found, bodyHash);
    // Of several that find the same end, one puts itself in its place.
    const ended = { ...byId(_id), operationId: found.operationId, expiresAt: found.expiresAt };
    if (await keys.replace(ended, made)) return { kind: 'New', operationId };
  }
  throw new VarveError('CONFLICT', 'Others kept claiming the idempotency key; try again.');
}

function claimedBefore(found: IdempotencyDocument, bodyHash: string): IdempotencyClaim {
  if (found.bodyHash !== bodyHash) return { kind: 'OtherBody' };
  if (found.answer !== null) {
    const answer: unknown = JSON.parse(found.answer);
    return { kind: 'Answered', answer };
  }
  const { operationId, startedAt } = found;
  return { kind: 'Unfinished', operationId, startedAt };
}

function keyId(tenant: string, key: string): IdempotencyDocument['_id'] {
  return { tenant, key };
}

/** Idempotency keys: of several equal calls, one runs, and the others get its answer. */
import type { IdempotencyClaim, IdempotencyRecords } from '#core/ports/store.ts';
import { IDEMPOTENCY_MS, type IdempotencyRecord } from '#core/records/idempotency.ts';
import { IDEMPOTENCY } from './record-kinds-and-indexes.ts';
import { equal } from './storage-driver.ts';
import { SWEPT_MAX, type StoreParts } from './store-parts.ts';

type Claim = Parameters<IdempotencyRecords['claim']>[0];

export function idempotencyRecords({ driver, writes }: StoreParts): IdempotencyRecords {
  return {
    claim: (claim) =>
      writes.run(IDEMPOTENCY, [claim.tenant, claim.key], ({ record, set }) => {
        const decided = decideClaim(record, claim);
        if (decided.kind === 'New') set(claimed(claim));
        return decided;
      }),
    answer: (tenant, key, answer) =>
      writes.run(IDEMPOTENCY, [tenant, key], ({ record, set }) => {
        if (record !== null && !isAnswered(record)) set({ ...record, answer });
      }),
    release: (tenant, key, operationId) =>
      writes.run(IDEMPOTENCY, [tenant, key], ({ record, set }) => {
        if (record?.operationId === operationId && !isAnswered(record)) set(null);
      }),
    sweep: (tenant, now) =>
      driver.erase(IDEMPOTENCY, [...equal({ tenant }), ['expiresAt', '<=', now]], SWEPT_MAX),
  };
}

function decideClaim(known: IdempotencyRecord | null, claim: Claim): IdempotencyClaim {
  const { bodyHash, operationId, now } = claim;
  if (known === null || known.expiresAt <= now) return { kind: 'New', operationId };
  if (known.bodyHash !== bodyHash) return { kind: 'OtherBody' };
  if (isAnswered(known)) return { kind: 'Answered', answer: known.answer };
  return { kind: 'Unfinished', operationId: known.operationId, startedAt: known.startedAt };
}

function claimed({ tenant, key, bodyHash, operationId, now }: Claim): IdempotencyRecord {
  const expiresAt = now + IDEMPOTENCY_MS;
  return { tenant, key, bodyHash, operationId, startedAt: now, expiresAt, answer: null };
}

function isAnswered({ answer }: IdempotencyRecord): boolean {
  return answer !== null && answer !== undefined;
}

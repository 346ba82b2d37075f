/** Which calls were made under which key, and what they answered. */
import type { IdempotencyClaim, IdempotencyRecords } from '#core/ports/idempotency-records.ts';
import { IDEMPOTENCY_MS } from '#core/records/bookkeeping.ts';

import type { Database, Tables } from './database.ts';

/** Records forgotten by one sweep: it holds up other calls no longer than a bulk write does. */
const SWEPT_MAX = 500;

export function idempotencyRecords(database: Database): IdempotencyRecords {
  const { tables } = database;
  const { idempotency } = tables;
  return {
    claim: (claim) => database.write(() => claimKey(tables, claim)),
    answer: (tenant, key, answer) =>
      database.write(() => {
        const record = idempotency.get(tenant, key);
        if (record !== null && record.answer === null) idempotency.put({ ...record, answer });
      }),
    release: (tenant, key, operationId) =>
      database.write(() => {
        const record = idempotency.get(tenant, key);
        if (record?.operationId !== operationId || record.answer !== null) return;
        idempotency.remove(record);
      }),
    sweep: (tenant, now) =>
      database.write(() => {
        const ended = idempotency.group(tenant).filter(({ expiresAt }) => expiresAt <= now);
        const swept = ended.slice(0, SWEPT_MAX);
        for (const record of swept) idempotency.remove(record);
        return swept.length;
      }),
  };
}

function claimKey(
  { idempotency }: Tables,
  { now, ...claim }: Parameters<IdempotencyRecords['claim']>[0],
): IdempotencyClaim {
  const { tenant, key, bodyHash, operationId } = claim;
  const known = idempotency.get(tenant, key);
  if (known === null || known.expiresAt <= now) {
    idempotency.put({ ...claim, startedAt: now, expiresAt: now + IDEMPOTENCY_MS, answer: null });
    return { kind: 'New', operationId };
  }
  if (known.bodyHash !== bodyHash) return { kind: 'OtherBody' };
  if (known.answer !== null) return { kind: 'Answered', answer: known.answer };
  return { kind: 'Unfinished', operationId: known.operationId, startedAt: known.startedAt };
}

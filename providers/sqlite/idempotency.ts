/** Keys of calls: of equal calls one goes on, and the others get its answer. */
import type { IdempotencyClaim, IdempotencyRecords } from '#core/ports/idempotency-records.ts';
import { IDEMPOTENCY_MS, type IdempotencyRecord } from '#core/records/bookkeeping.ts';

import type { Connection } from './connection.ts';
import { recordTable, type RecordTable } from './record-table.ts';

/** Records that one sweep forgets: a transaction that others wait for stays short. */
const SWEPT_MAX = 500;

type Claim = Parameters<IdempotencyRecords['claim']>[0];

export function idempotencyRecords(connection: Connection): IdempotencyRecords {
  const records = recordTable<IdempotencyRecord>(connection, {
    name: 'idempotency',
    key: ['tenant', 'key'],
    columns: {
      tenant: 'tenant',
      key: 'key',
      body_hash: 'bodyHash',
      operation_id: 'operationId',
      started_at: 'startedAt',
      expires_at: 'expiresAt',
    },
  });
  return {
    claim: (claim) => connection.write(() => claimKey(records, claim)),
    answer: (tenant, key, answer) =>
      connection.write(() => {
        const record = records.find(tenant, key);
        if (record !== null && !isAnswered(record)) records.put({ ...record, answer });
      }),
    release: (tenant, key, operationId) =>
      connection.write(() => {
        const record = records.find(tenant, key);
        if (record?.operationId === operationId && !isAnswered(record)) records.remove(tenant, key);
      }),
    sweep: (tenant, now) =>
      connection.write(() =>
        connection.run(
          `DELETE FROM idempotency WHERE tenant = ? AND key IN (
             SELECT key FROM idempotency WHERE tenant = ? AND expires_at <= ? LIMIT ?
           )`,
          [tenant, tenant, now, SWEPT_MAX],
        ),
      ),
  };
}

function claimKey(records: RecordTable<IdempotencyRecord>, claim: Claim): IdempotencyClaim {
  const { tenant, key, bodyHash, operationId, now } = claim;
  const known = records.find(tenant, key);
  if (known === null || known.expiresAt <= now) {
    const expiresAt = now + IDEMPOTENCY_MS;
    records.put({ tenant, key, bodyHash, operationId, startedAt: now, expiresAt, answer: null });
    return { kind: 'New', operationId };
  }
  if (known.bodyHash !== bodyHash) return { kind: 'OtherBody' };
  if (isAnswered(known)) return { kind: 'Answered', answer: known.answer };
  return { kind: 'Unfinished', operationId: known.operationId, startedAt: known.startedAt };
}

function isAnswered({ answer }: IdempotencyRecord): boolean {
  return answer !== null && answer !== undefined;
}

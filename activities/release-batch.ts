/** Activity: gives the scopes of a batch back, as a failure of theirs or as nobody's. */
import type { ErrorCode } from '#core/errors.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { applyFailure, applyRelease } from '#core/scope-failure.ts';
import type { RefreshPorts } from './refresh-ports.ts';

/** When a tenant whose budget ended is tried again; a grant or a new period wakes it sooner. */
const BUDGET_RETRY_AFTER_MS = 15 * 60_000;

export async function releaseBatch(
  { store, platform }: RefreshPorts,
  { tenant, batchId, code }: { tenant: string; batchId: string; code: ErrorCode },
): Promise<{ readonly deadLettered: number }> {
  const now = platform.clock();
  let deadLettered = 0;
  for (const record of await store.scopes.leased(tenant, { batchId })) {
    const released = releasedRecord(record, code, now);
    const written = await store.scopes.replace(released);
    if (!written || released.deadLetter === null) continue;
    deadLettered += 1;
    await store.events.append({
      tenant,
      id: platform.newId(),
      at: now,
      type: 'memory_batch_dead_lettered',
      attributes: { layer: record.layer, code, attempts: released.attempts },
    });
  }
  return { deadLettered };
}

function releasedRecord(record: ScopeRecord, code: ErrorCode, now: number): ScopeRecord {
  return code === 'BUDGET_EXHAUSTED'
    ? applyRelease(record, now + BUDGET_RETRY_AFTER_MS)
    : applyFailure(record, { code, reason: code }, now);
}

/** Activity: gives the scopes of a batch back, as a failure of theirs or as nobody's. */
import type { ErrorCode } from '#core/errors.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { applyFailure, applyRelease } from '#core/scope-failure.ts';
import { settleLostAttempts } from './lost-attempts.ts';
import type { RefreshPorts } from './refresh-ports.ts';

/** When a tenant whose budget ended is tried again; a grant or a new period wakes it sooner. */
const BUDGET_RETRY_AFTER_MS = 15 * 60_000;
/** Writers that may come in between before a scope is left to the end of its lease. */
const RELEASE_TRIES_MAX = 8;

interface Release {
  readonly tenant: string;
  readonly batchId: string;
  readonly code: ErrorCode;
}

export async function releaseBatch(
  ports: RefreshPorts,
  { tenant, batchId, code }: Release,
): Promise<{ readonly deadLettered: number }> {
  const { store, platform } = ports;
  await settleLostAttempts(ports, { tenant, batchId });
  // The scopes come back in another batch, so what was answered for this one serves nobody.
  await store.answers.close(tenant, batchId);
  let deadLettered = 0;
  for (let tries = 0; tries < RELEASE_TRIES_MAX; tries += 1) {
    const leased = await store.scopes.leased(tenant, { batchId });
    if (leased.length === 0) break;
    for (const record of leased) {
      const now = platform.clock();
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
  }
  return { deadLettered };
}

function releasedRecord(record: ScopeRecord, code: ErrorCode, now: number): ScopeRecord {
  return code === 'BUDGET_EXHAUSTED'
    ? applyRelease(record, now + BUDGET_RETRY_AFTER_MS)
    : applyFailure(record, { code, reason: code }, now);
}

/** Asks for a refresh where a write made its scope due soon. */
import { HORIZON_MS } from '#core/refresh/refresh-contract.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { RefreshTrigger } from '#core/ports/refresh-trigger.ts';
import type { Store } from '#core/ports/store.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { policyToRefreshBy } from '#core/policy/tenant-policy.ts';
import { closesAt } from '#core/refresh/batch-window.ts';

interface RequestPorts {
  readonly store: Pick<Store, 'policies' | 'refreshRequests'>;
  readonly platform: Platform;
  readonly refreshTrigger: Pick<RefreshTrigger, 'wake'>;
}

/**
 * Asks for a refresh where the write made its scope due soon. The store keeps what is owed, so a
 * server that cannot be reached costs a minute until the tick, and never the write.
 */
export async function requestRefreshIfDue(
  { store, platform, refreshTrigger }: RequestPorts,
  scope: ScopeRecord,
  /** When the write was made, where that is known. */
  writtenAt: number | null = null,
): Promise<void> {
  if (scope.dueAt === null || scope.dueAt > platform.clock() + HORIZON_MS) return;
  if (writtenAt !== null && wasDueBefore(scope, writtenAt)) return;
  const urgent = scope.dueTrigger === 'Urgent';
  try {
    const policy = await policyToRefreshBy(store.policies, scope.tenant);
    if (policy === null) return;
    const { edge } = await store.refreshRequests.want(scope.tenant);
    // A run that waits for a longer window learns of a shorter one by this message alone.
    const closes = closesAt(scope, policy);
    const closesInMs = Math.max(0, closes - platform.clock());
    await refreshTrigger.wake(scope.tenant, { urgent, closesInMs, isFirst: edge });
  } catch (error) {
    platform.log.warn(
      { tenant: scope.tenant, error },
      'refresh request not delivered; the tick will find it',
    );
  }
}

/**
 * A mark of counted changes is set at the time of the write that set it, and kept until somebody
 * looks at the scope. So an earlier write has asked already, and no run ends while the scope is
 * due: asking again would cost every write of a busy scope a second commit.
 */
function wasDueBefore({ dueAt, dueTrigger }: ScopeRecord, writtenAt: number): boolean {
  return dueTrigger === 'Changes' && dueAt !== null && dueAt < writtenAt;
}

/** Requests a refresh if a write made its scope due soon. */
import { HORIZON_MS } from '#core/refresh/refresh-contract.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { RefreshTrigger } from '#core/ports/refresh-trigger.ts';
import type { Store } from '#core/ports/store.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { policyToRefreshBy } from '#core/policy/policy-in-force.ts';
import { closesAt } from '#core/refresh/batch-window.ts';

export interface RequestPorts {
  readonly store: Pick<Store, 'policies' | 'refreshRequests'>;
  readonly platform: Platform;
  readonly refreshTrigger: Pick<RefreshTrigger, 'notify'>;
}

/**
 * Requests a refresh if the write made its scope due soon. The store records what is pending, so
 * an unreachable server delays the refresh until the next tick, a minute at most, and never fails
 * the write.
 */
export async function requestRefreshIfDue(
  { store, platform, refreshTrigger }: RequestPorts,
  scope: ScopeRecord,
  /** When the write was made, if known. */
  writtenAt: number | null = null,
): Promise<void> {
  if (scope.dueAt === null || scope.dueAt > platform.clock() + HORIZON_MS) return;
  // A mark of counted changes carries the time of the write that set it and stays until the scope
  // is examined. So an earlier write has already made the request, and no run ends while the scope
  // is due: a repeated request would cost every write to a busy scope a second commit.
  const wasDue = writtenAt !== null && scope.dueAt < writtenAt;
  if (wasDue && scope.dueTrigger === 'Changes') return;
  const urgent = scope.dueTrigger === 'Urgent';
  try {
    const policy = await policyToRefreshBy(store.policies, scope.tenant);
    if (policy === null) return;
    const { edge } = await store.refreshRequests.want(scope.tenant);
    // A run that waits for a longer window learns about a shorter one only from this message.
    const closes = closesAt(scope, policy);
    const closesInMs = Math.max(0, closes - platform.clock());
    await refreshTrigger.notify(scope.tenant, { urgent, closesInMs, isFirst: edge });
  } catch (error) {
    platform.log.warn(
      { tenant: scope.tenant, error },
      'refresh request not delivered; the tick will find it',
    );
  }
}

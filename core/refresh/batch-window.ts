/**
 * The batch window: how long due scopes wait for others to share a call (design 6.17). A tumbling
 * window.
 */
import { HORIZON_MS, type WindowReading } from './refresh-contract.ts';
import { nextCheckAt } from './when-to-refresh.ts';
import type { TenantPolicy } from '../records/policy.ts';
import { mayShareCall } from './plan-batches.ts';
import type { ScopeRecord } from '../records/scope-record.ts';
import type { Trigger } from '../records/summary.ts';

/** Triggers that skip the window: urgent scopes, and requested scopes. */
const WITHOUT_WINDOW: ReadonlySet<Trigger> = new Set(['Urgent', 'Requested']);
/**
 * Tolerated difference between a timer and the clock of a store; a window ends this much earlier.
 */
const CLOCKS_DIFFER_MS = 1_000;

/**
 * Computes the window. It opens with the first due mark and closes a fixed time later, so steady
 * traffic cannot hold it open. An urgent scope closes it when it is due.
 */
export function readWindowOf(
  due: readonly ScopeRecord[],
  { policy, wanted, now }: { policy: TenantPolicy; wanted: number; now: number },
): WindowReading {
  const soon = due.filter(
    (scope) => closesAt(scope, policy) <= now + HORIZON_MS || isDue(scope, now),
  );
  if (soon.length === 0) return { kind: 'Idle', wanted };
  const closes = Math.min(...soon.map((scope) => closesAt(scope, policy)));
  return {
    kind: 'Open',
    wanted,
    closesInMs: Math.max(0, closes - now),
    pending: soon.length,
    layers: [...new Set(soon.map((scope) => scope.layer))],
    urgent: soon.some((scope) => scope.dueTrigger === 'Urgent'),
  };
}

function isDue(scope: ScopeRecord, now: number): boolean {
  return scope.dueAt !== null && scope.dueAt <= now;
}

/**
 * Returns when the window of one scope closes, in milliseconds since the epoch; Infinity if
 * nothing is pending.
 */
export function closesAt(scope: ScopeRecord, policy: TenantPolicy): number {
  // An expiry is due without a mark, since no write happens when time alone passes.
  const dueAt = nextCheckAt(scope) ?? Infinity;
  if (scope.dueTrigger !== null && WITHOUT_WINDOW.has(scope.dueTrigger)) return dueAt;
  return dueAt + policy.layers[scope.layer].batchWindowMs;
}

/**
 * Returns the due scopes whose window is over, and those that can share a call with one of them.
 * The others keep waiting: a session, whose window is short, does not close the window of a
 * project.
 */
export function selectScopesPastWindow(
  due: readonly ScopeRecord[],
  { policy, now }: { policy: TenantPolicy; now: number },
): readonly ScopeRecord[] {
  const isClosed = (scope: ScopeRecord) => closesAt(scope, policy) <= now + CLOCKS_DIFFER_MS;
  const sharedIsClosed = due.some((scope) => mayShareCall(scope) && isClosed(scope));
  return due.filter((scope) => isClosed(scope) || (sharedIsClosed && mayShareCall(scope)));
}

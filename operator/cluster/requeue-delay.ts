/** When a tenant is looked at again: pure. */
import { GO_ON_AFTER_MS, RESYNC_MS } from '../applied-policies.ts';

/** The store and the budget move without a word to the cluster, so a tenant is looked at again. */
const LOOK_AGAIN_MS = 30_000;
/** Up to as much later, so that tenants are not looked at together for ever. */
const LOOK_AGAIN_SPREAD_MS = 30_000;
/** Of the time of a worker, what looking at one tenant again and again may take. */
const LOOKING_SHARE_MAX = 0.02;

export interface Looked {
  /** Whether a policy is not carried out to the end yet. */
  readonly isToGoOn: boolean;
  /** Whether scopes are left to count. */
  readonly isCounting: boolean;
  /** Milliseconds that the look at the scopes took. */
  readonly tookMs: number;
  /** At least 0 and below 1. */
  readonly chance: number;
}

/** A tenant with many scopes takes long to look at, and is looked at less often. */
export function requeueDelay({ isToGoOn, isCounting, tookMs, chance }: Looked): number {
  if (isToGoOn) return GO_ON_AFTER_MS;
  const pauseMs = Math.min(tookMs / LOOKING_SHARE_MAX, RESYNC_MS);
  if (isCounting) return Math.max(GO_ON_AFTER_MS, pauseMs);
  return Math.max(LOOK_AGAIN_MS, pauseMs) + chance * LOOK_AGAIN_SPREAD_MS;
}

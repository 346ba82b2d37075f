/** A folder in the place of a cluster: what the steps that both share are carried out with. */
import type { Calendar } from '#core/ports/calendar.ts';
import { NO_OPERATOR_METRICS, type OperatorMetrics } from '#core/ports/operator-metrics.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';
import type { Leadership, RefreshLink } from '../cluster/context.ts';
import type { EventRecorder } from '../events/event-recorder.ts';

import { NO_REFRESHES } from '../cluster/cluster-operator.ts';
import { AppliedPolicies } from '../tenant/applied-policies.ts';

export type PolicyStore = Pick<
  Store,
  | 'policies'
  | 'modelProviders'
  | 'accounts'
  | 'scopes'
  | 'refreshRequests'
  | 'events'
  | 'dreamSchedules'
  | 'eraseTenant'
>;

export interface FolderContext {
  readonly store: PolicyStore;
  readonly platform: Platform;
  readonly calendar: Calendar;
  readonly metrics: OperatorMetrics;
  readonly recorder: EventRecorder;
  readonly leadership: Leadership;
  readonly refreshes: RefreshLink;
  readonly clusterId: string;
  readonly releaseNamespace: string;
  /** Owned by the caller and kept as long as it reconciles. */
  readonly appliedPolicies: AppliedPolicies;
  /** Records deleted so far by this process, by tenant; an entry lives as long as its erasure. */
  readonly erased: Map<string, number>;
  readonly timers: { readonly random: () => number };
}

export interface FolderParts {
  readonly store: PolicyStore;
  readonly platform: Platform;
  readonly calendar: Calendar;
  readonly clusterId: string;
  readonly releaseNamespace: string;
  readonly appliedPolicies?: AppliedPolicies | undefined;
  readonly erased?: Map<string, number> | undefined;
  /** Without it, what is due is found by the tick alone. */
  readonly refreshes?: RefreshLink | undefined;
  readonly metrics?: OperatorMetrics | undefined;
}

export function folderContext(parts: FolderParts): FolderContext {
  const { appliedPolicies = new AppliedPolicies(), refreshes = NO_REFRESHES } = parts;
  const { metrics = NO_OPERATOR_METRICS, erased = new Map<string, number>() } = parts;
  return {
    ...parts,
    appliedPolicies,
    refreshes,
    metrics,
    recorder: NO_EVENTS,
    leadership: ALONE,
    erased,
    timers: TOGETHER,
  };
}

/** What became of each resource is in the outcomes, which are logged. */
const NO_EVENTS: EventRecorder = { record: () => undefined, flush: () => Promise.resolve() };
/** A folder has no leader and writes with term 0 (docs/decisions/0048). */
const ALONE: Leadership = { isLeader: () => true, epoch: () => 0, lose: () => undefined };
/** Nobody else looks at the tenants of a folder, so that they need not be spread. */
const TOGETHER = { random: () => 0 };

/** What every reconcile of the cluster has at hand. */
import type { Calendar } from '#core/ports/calendar.ts';
import type { KubernetesApi } from '#core/ports/kubernetes-api.ts';
import type { OperatorMetrics } from '#core/ports/metrics.ts';
import type { Platform, Timers } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';
import type { EventRecorder } from '../event-recorder.ts';
import type { EnforcedPolicies } from '../tenant/enforced-policies.ts';
import type { Fence, Leadership } from './fence.ts';
import type { TenantViews, ResourceLister } from './resource-lister.ts';
import type { LimitsSource } from './platform-limits-source.ts';
import type { ScopeCounts } from './tenant-facts.ts';
import type { StatusWriter } from './status-writer.ts';

export type OperatorStore = Pick<
  Store,
  | 'policies'
  | 'modelProviders'
  | 'accounts'
  | 'scopes'
  | 'summaries'
  | 'refreshRequests'
  | 'events'
  | 'dreamSchedules'
  | 'proposals'
  | 'eraseTenant'
>;

/** Notifies the refreshes of tenants; a lost notification delays and never loses. */
export interface RefreshLink {
  notify(tenant: string): Promise<void>;
  /**
   * Ends the open run of a tenant, where there is one. Answers when its last run was cut short, in
   * milliseconds since the epoch; null where none was, so that nothing of one can be at work.
   */
  end(tenant: string): Promise<number | null>;
}

/** What the steps that a cluster and a folder share have at hand. */
export interface SharedContext {
  readonly store: OperatorStore;
  readonly platform: Platform;
  readonly calendar: Calendar;
  readonly metrics: OperatorMetrics;
  readonly recorder: EventRecorder;
  readonly leadership: Leadership;
  readonly refreshes: RefreshLink;
  /** Names the cluster in the store, whatever its address: see `clusterIdOf`. */
  readonly clusterId: string;
  /** Where the ModelProviders, and the Lease of a cluster, lie. */
  readonly releaseNamespace: string;
  /** Owned by the caller, and kept as long as it reconciles. */
  readonly enforcedPolicies: EnforcedPolicies;
  /** Records deleted so far by this process, by tenant; an entry lives as long as its erasure. */
  readonly erased: Map<string, number>;
}

export interface ClusterContext extends SharedContext {
  readonly api: KubernetesApi;
  readonly timers: Timers;
  readonly fence: Fence;
  /** As the last look at it found it. */
  readonly temporal: { isAway: boolean };
  /** Null for all. */
  readonly namespaces: readonly string[] | null;
  readonly limits: LimitsSource;
  readonly lister: ResourceLister;
  readonly statuses: StatusWriter;
  readonly views: TenantViews;
  readonly scopeCounts: ScopeCounts;
}

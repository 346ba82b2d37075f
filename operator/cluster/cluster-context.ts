/** What every reconcile of a cluster has at hand. */
import type { Calendar } from '#core/ports/calendar.ts';
import type { KubernetesApi } from '#core/ports/kubernetes-api.ts';
import type { OperatorMetrics } from '#core/ports/metrics.ts';
import type { Platform, Timers } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';
import type { EventRecorder } from '../event-recorder.ts';
import type { EnforcedPolicies } from '../tenant/enforced-policies.ts';
import type { Fence, Leadership } from './leader-fence.ts';
import type { TenantViews, ResourceLister } from './resource-lister.ts';
import type { LimitsSource } from './platform-limits-source.ts';
import type { ScopeCounts } from './stored-tenant.ts';
import type { StatusWriter } from './status-writer.ts';
import type { StoreOutage } from './store-outage.ts';

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

/**
 * Notifies the workflows that refresh tenants. A lost notification delays a refresh but never loses
 * it.
 */
export interface RefreshLink {
  notify(tenant: string): Promise<void>;
  /**
   * Ends the open run of a tenant, if there is one. Returns when its last run was cut short, in
   * milliseconds since the epoch; null if there was none, so that no work of one can be under way.
   */
  end(tenant: string): Promise<number | null>;
}

/** What the steps shared by a cluster and a folder have at hand. */
export interface SharedContext {
  readonly store: OperatorStore;
  readonly platform: Platform;
  readonly calendar: Calendar;
  readonly metrics: OperatorMetrics;
  readonly recorder: EventRecorder;
  readonly leadership: Leadership;
  readonly refreshes: RefreshLink;
  /** Names the cluster in the store, independent of its address: see `clusterIdOf`. */
  readonly clusterId: string;
  /** The namespace of the ModelProviders and, in a cluster, of the Lease. */
  readonly releaseNamespace: string;
  /** Owned by the caller, who keeps it across reconciles. */
  readonly enforcedPolicies: EnforcedPolicies;
  /** Records deleted so far by this process, by tenant; an entry lasts as long as its erasure. */
  readonly erased: Map<string, number>;
}

export interface ClusterContext extends SharedContext {
  readonly api: KubernetesApi;
  readonly timers: Timers;
  readonly fence: Fence;
  /** Whether Temporal did not answer the latest check. */
  readonly temporal: { isAway: boolean };
  readonly storeOutage: StoreOutage;
  /** Namespaces that are watched; null for all. */
  readonly namespaces: readonly string[] | null;
  readonly limits: LimitsSource;
  readonly lister: ResourceLister;
  readonly statuses: StatusWriter;
  readonly views: TenantViews;
  readonly scopeCounts: ScopeCounts;
}

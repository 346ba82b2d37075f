/** What every reconcile of the cluster has at hand. */
import { VarveError } from '#core/errors.ts';
import type { Calendar } from '#core/ports/calendar.ts';
import type { KubernetesApi } from '#core/ports/kubernetes-api.ts';
import type { OperatorMetrics } from '#core/ports/operator-metrics.ts';
import type { Platform, Log } from '#core/ports/platform.ts';
import type { PolicyRecords } from '#core/ports/policy-records.ts';
import type { Store } from '#core/ports/store.ts';
import type { EventRecorder } from '../event-recorder.ts';
import type { AppliedPolicies } from '../tenant/applied-policies.ts';
import type { Timers } from '../timers.ts';
import type { TenantViews, ResourceLister } from './resource-lister.ts';
import type { LimitsSource } from './limits-source.ts';
import type { StatusWalks } from './tenant-facts.ts';
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

/** Who may write, and with which fence. */
export interface Leadership {
  isLeader(): boolean;
  /** Of the term; 0 while not leading. */
  epoch(): number;
  /** Ends the term, and with it the process. */
  lose(): void;
}

/** Notifies the refreshes of tenants; a lost notification delays and never loses. */
export interface RefreshLink {
  wake(tenant: string): Promise<void>;
  /**
   * Ends the open run of a tenant, where there is one. Answers when its last run was cut short, in
   * milliseconds since the epoch; null where none was, so that nothing of one can be at work.
   */
  end(tenant: string): Promise<number | null>;
}

export interface ClusterContext {
  readonly api: KubernetesApi;
  readonly store: OperatorStore;
  readonly platform: Platform;
  readonly calendar: Calendar;
  readonly timers: Timers;
  readonly metrics: OperatorMetrics;
  readonly recorder: EventRecorder;
  readonly leadership: Leadership;
  readonly fence: Fence;
  readonly refreshes: RefreshLink;
  /** As the last look at it found it. */
  readonly temporal: { isAway: boolean };
  /** Names the cluster in the store, whatever its address. */
  readonly clusterId: string;
  /** Where ModelProviders may lie. */
  readonly releaseNamespace: string;
  /** Null for all. */
  readonly namespaces: readonly string[] | null;
  readonly limits: LimitsSource;
  readonly lister: ResourceLister;
  readonly statuses: StatusWriter;
  readonly views: TenantViews;
  readonly appliedPolicies: AppliedPolicies;
  readonly walks: StatusWalks;
  /** Records deleted so far by this process, by tenant; an entry lives as long as its erasure. */
  readonly erased: Map<string, number>;
}

/**
 * The epoch to write with. To be asked before each write outside of the process.
 * @throws VarveError CANCELLED where this process leads no more
 */
export function leadingEpoch({ leadership }: Pick<ClusterContext, 'leadership'>): number {
  if (leadership.isLeader()) return leadership.epoch();
  throw new VarveError('CANCELLED', 'This process is no longer the leader; another one continues.');
}

/** @throws VarveError CANCELLED: a later leader is at work, so nothing more is written here */
export function fenced(epoch: number): VarveError {
  const message = 'A later leader writes; this process is no longer the leader.';
  return new VarveError('CANCELLED', message, { details: { epoch, reason: FENCED } });
}

/** Whether the store refused a write, since a later leader is at work. */
export function isFenced(error: unknown): error is VarveError {
  return error instanceof VarveError && error.details['reason'] === FENCED;
}

const FENCED = 'Fenced';

export interface Fence {
  /**
   * Resolves once the store lets no earlier leader through.
   * @throws VarveError CANCELLED where a later leader is at work; what the store throws
   */
  ensure(): Promise<void>;
}

/**
 * The first outside step of a term: no write of an earlier leader gets through after it. The first
 * reconcile that needs the store does it, so that conditions can report a store which does not
 * answer.
 */
export function createFence(options: {
  readonly policies: Pick<PolicyRecords, 'fence'>;
  readonly clusterId: string;
  readonly leadership: Leadership;
}): Fence {
  const { policies, clusterId, leadership } = options;
  let fencedAt = 0;
  return {
    async ensure() {
      const epoch = leadingEpoch({ leadership });
      if (fencedAt === epoch) return;
      if (!(await policies.fence(clusterId, epoch))) throw fenced(epoch);
      fencedAt = epoch;
    },
  };
}

/** Says so once, however many reconciles meet the fence. Throws on what the work throws. */
export async function endWhenFenced<T>(
  { leadership, log }: { readonly leadership: Leadership; readonly log: Log },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isFenced(error) && leadership.isLeader()) {
      log.error({ epoch: error.details['epoch'] }, WHAT_TO_DO);
      leadership.lose();
    }
    throw error;
  }
}

const WHAT_TO_DO =
  'The store or Temporal refuses this leader, since a later one of the same cluster id wrote to ' +
  'it; the process ends and the next one leads with a later epoch. Where this happens again, ' +
  'another installation writes under the same id: give each its own with --cluster-id, or stop ' +
  'one of them; and look whether the clocks of the nodes are right.';

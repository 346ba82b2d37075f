/**
 * Every metric of the operator, in one table: name, kind, labels, help. The first groups have the
 * names and labels of controller-runtime, so that dashboards for other operators work. A label has
 * few distinct values, and never the name of a resource or of a tenant.
 */
import type { MetricTable } from './metric-types.ts';

const RECONCILE_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const QUEUE_SECONDS = [0.000_1, 0.001, 0.01, 0.1, 1, 10, 100, 1_000];

export const OPERATOR_METRICS = {
  controller_runtime_reconcile_total: {
    kind: 'counter',
    labels: ['controller', 'result'],
    help: 'Reconciles by result: success, requeue_after, error.',
  },
  controller_runtime_reconcile_errors_total: {
    kind: 'counter',
    labels: ['controller'],
    help: 'Reconciles that ended in an error; each is tried again.',
  },
  controller_runtime_reconcile_panics_total: {
    kind: 'counter',
    labels: ['controller'],
    help: 'Reconciles that failed because of a bug in Varve.',
  },
  controller_runtime_reconcile_timeouts_total: {
    kind: 'counter',
    labels: ['controller'],
    help: 'Reconciles that were cancelled because they ran out of time.',
  },
  controller_runtime_reconcile_time_seconds: {
    kind: 'histogram',
    labels: ['controller'],
    help: 'Duration of reconciles, in seconds.',
    buckets: RECONCILE_SECONDS,
  },
  controller_runtime_max_concurrent_reconciles: {
    kind: 'gauge',
    labels: ['controller'],
    help: 'Reconciles that may run at the same time.',
  },
  controller_runtime_active_workers: {
    kind: 'gauge',
    labels: ['controller'],
    help: 'Reconciles that run now.',
  },
  workqueue_depth: {
    kind: 'gauge',
    labels: ['name'],
    help: 'Keys that could run now and wait for a worker.',
  },
  workqueue_adds_total: {
    kind: 'counter',
    labels: ['name'],
    help: 'Keys added, without those already in the queue.',
  },
  workqueue_refusals_total: {
    kind: 'counter',
    labels: ['name'],
    help: 'Keys that the full queue did not take; all are listed again when it has room.',
  },
  workqueue_queue_duration_seconds: {
    kind: 'histogram',
    labels: ['name'],
    help: 'For how long a key that could run waited for a worker, in seconds.',
    buckets: QUEUE_SECONDS,
  },
  workqueue_work_duration_seconds: {
    kind: 'histogram',
    labels: ['name'],
    help: 'For how long a key was worked on, in seconds.',
    buckets: QUEUE_SECONDS,
  },
  workqueue_retries_total: {
    kind: 'counter',
    labels: ['name'],
    help: 'Keys put back after an error.',
  },
  workqueue_unfinished_work_seconds: {
    kind: 'gauge',
    labels: ['name'],
    help: 'Seconds that all keys at work have been worked on so far, summed.',
  },
  workqueue_longest_running_processor_seconds: {
    kind: 'gauge',
    labels: ['name'],
    help: 'For how long the key that is longest at work has been worked on, in seconds.',
  },
  rest_client_requests_total: {
    kind: 'counter',
    labels: ['code', 'method', 'host'],
    help: 'Requests to the Kubernetes API by status; code 0 if no answer came.',
  },
  leader_election_master_status: {
    kind: 'gauge',
    labels: ['name'],
    help: '1 if this process holds the Lease, 0 if another does.',
  },
  leader_election_known: {
    kind: 'gauge',
    labels: ['name'],
    help: '1 if this process knows a leader, itself or another.',
  },
  watch_reconnects_total: {
    kind: 'counter',
    labels: ['kind', 'reason'],
    help: 'Watches reopened, by why the one before ended.',
  },
  watch_last_event_age_seconds: {
    kind: 'gauge',
    labels: ['kind'],
    help: 'For how long a watch has reported nothing, not even a bookmark, in seconds.',
  },
  cache_synced: {
    kind: 'gauge',
    labels: ['kind'],
    help: '1 if the cache of a kind holds a whole list.',
  },
  oldest_unsynced_generation_seconds: {
    kind: 'gauge',
    labels: ['kind'],
    help: 'For how long the oldest changed resource has had a generation its status does not name.',
  },
  events_recorded_total: {
    kind: 'counter',
    labels: ['type', 'outcome'],
    help: 'Events by outcome: Created, Repeated, Suppressed, Dropped, Failed.',
  },
  drift_corrected_total: {
    kind: 'counter',
    labels: ['what'],
    help: 'Corrections of outside state that another process had changed.',
    values: { what: ['policy', 'limits', 'schedule', 'searchAttribute', 'dream'] },
  },
  platform_limits_unreadable: {
    kind: 'gauge',
    labels: [],
    help: "1 if the ConfigMap of the platform's limits is wrong or cannot be read.",
  },
  installation_failures_total: {
    kind: 'counter',
    labels: ['step'],
    help: 'Failed checks for what belongs to no resource, by step; each is retried.',
    values: { step: ['providers', 'schedules', 'tenants'] },
  },
  installation_step_failing: {
    kind: 'gauge',
    labels: ['step'],
    help: '1 if the last check for what belongs to no resource got no answer, by step.',
    values: { step: ['providers', 'schedules', 'tenants'] },
  },
  event_loop_lag_seconds: {
    kind: 'gauge',
    labels: [],
    help: 'Longest time that the event loop was blocked within the last minute, in seconds.',
  },
} as const satisfies MetricTable;

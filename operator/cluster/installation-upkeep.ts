/**
 * Keeps what belongs to no resource: checks it when leading begins and periodically afterwards.
 *
 * Guarantees: each step has its own interval, so a step that fails or hangs holds up no other;
 * nothing is waited for once the signal is aborted.
 */
import { VarveError } from '#core/errors.ts';
import type { OperatorMetrics } from '#core/ports/metrics.ts';
import type { Log, Timers } from '#core/ports/platform.ts';
import { isReleased, type PolicyRecord } from '#core/records/policy.ts';
import { policyPages } from '#core/refresh/record-pages.ts';
import { MEMORY_TENANT } from '#crds/resource-types.ts';
import { CLUSTER_RESYNC_MS, RESYNC_SPREAD } from '../resync-intervals.ts';
import { namespacedKey } from '../tenant/metadata-and-conditions.ts';
import { untilAborted } from '../timers.ts';
import { release } from './clean-up-tenant.ts';
import type { ClusterContext } from './cluster-context.ts';
import { leadingEpoch, endWhenFenced } from './leader-fence.ts';
import type { Controllers } from './controllers.ts';
import { PROVIDERS_MAX } from '#core/records/model-provider.ts';

// Releases tenants whose resource went without the operator: by force during an outage, or because
// a person removed the finalizer. No other part notices that.
//
// Guarantees: nothing is deleted; a tenant is released only if the API server says that its
// resource is gone, never because a cache does not have it; repeatable.

/** Reads of the API server in one round; more would crowd out the reconciles. */
const READS_MAX = 1_000;

/**
 * Checks every tenant of this cluster once, up to `READS_MAX`. Released tenants are not checked
 * again, so the next round gets further.
 * @throws VarveError CANCELLED if this process no longer leads; errors of the store or the API
 */
async function releaseLeftOver(context: ClusterContext, signal: AbortSignal): Promise<void> {
  const { store, api, platform } = context;
  let reads = 0;
  for await (const page of policyPages(store.policies)) {
    for (const { tenant, owner } of page.filter((record) => isToBeAsked(record, context))) {
      if (reads >= READS_MAX || signal.aborted) return;
      reads += 1;
      const { namespace, name, uid } = owner;
      const live = await api.get(MEMORY_TENANT, { namespace, name }, signal);
      if (live?.metadata.uid === uid) continue;
      await context.fence.ensure();
      await release({ tenant, owner }, context);
      platform.log.warn({ tenant, namespace, name }, RELEASED);
    }
    if (signal.aborted) return;
  }
}

const RELEASED =
  'the resource of this tenant went without cleanup; the tenant is released and its memories ' +
  'are kept';

/**
 * Whether the server has to be asked: the tenant is this cluster's, not released, in a namespace
 * that may be read, and its resource is not in the caches.
 */
function isToBeAsked(
  record: PolicyRecord,
  { clusterId, namespaces, lister }: ClusterContext,
): boolean {
  const { cluster, namespace, name, uid } = record.owner;
  if (cluster !== clusterId || isReleased(record)) return false;
  if (namespaces !== null && !namespaces.includes(namespace)) return false;
  return lister.get('tenants', namespacedKey({ namespace, name }))?.metadata.uid !== uid;
}

interface InstallationKeeping {
  readonly context: ClusterContext;
  readonly controllers: Pick<Controllers, 'enqueueProviders'>;
  /** Ensures e.g. schedules, given the epoch of the term. Abandoned once the signal is aborted. */
  readonly ensure: (epoch: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Runs all steps until the signal. They poll, since outside systems send no notification of
 * changes.
 * @throws a mistake of the program, which ends every step
 */
export async function keepInstallation(
  keeping: InstallationKeeping,
  signal: AbortSignal,
): Promise<void> {
  const ended = new AbortController();
  const until = AbortSignal.any([signal, ended.signal]);
  try {
    await Promise.all(stepsOf(keeping).map((step) => keep(step, keeping.context, until)));
  } finally {
    ended.abort();
  }
}

function stepsOf({ context, controllers, ensure }: InstallationKeeping): readonly Step[] {
  return [
    {
      name: 'providers',
      what: 'ModelProviders that are left over in the store',
      check: async () => controllers.enqueueProviders(await providersInStore(context)),
    },
    schedulesStep(
      (signal) => ensure(leadingEpoch(context), signal),
      (isAnswered) => {
        context.temporal.isAway = !isAnswered;
      },
    ),
    {
      name: 'tenants',
      what: 'tenants whose resource went without the operator',
      check: (signal) => releaseLeftOver(context, signal),
    },
  ];
}

/** Runs one step. If the store or Temporal refuses this leader, its term ends. */
function keep(step: Step, context: ClusterContext, signal: AbortSignal): Promise<void> {
  const { leadership, platform, timers, metrics } = context;
  const { log } = platform;
  const check = (ending: AbortSignal): Promise<void> =>
    endWhenFenced({ leadership, log }, () => step.check(ending));
  return checkPeriodically({ ...step, check }, { timers, log, metrics }, signal);
}

/**
 * Returns the keys of the providers that the store has of this release, to find those left over.
 */
export async function providersInStore({
  store,
  clusterId,
  releaseNamespace,
}: Pick<ClusterContext, 'store' | 'clusterId' | 'releaseNamespace'>): Promise<readonly string[]> {
  const records = await store.modelProviders.list(PROVIDERS_MAX);
  return records
    .filter(({ owner }) => owner.cluster === clusterId && owner.namespace === releaseNamespace)
    .map(({ owner }) => namespacedKey(owner));
}

/** Pause after a check that failed. */
export const AFTER_FAILURE_MS = 30_000;
/** Short, since a Temporal that lost its state starts nothing until it has its schedules again. */
export const SCHEDULES_MS = 60_000;

/**
 * One check of outside state, which sends no notification of changes: it runs at the start and then
 * periodically. In a cluster the leader runs it; for a folder, the process that watches the folder
 * does.
 */
interface Step {
  readonly name: 'providers' | 'schedules' | 'tenants';
  /** For the log line of a failure. */
  readonly what: string;
  readonly check: (signal: AbortSignal) => Promise<void>;
  /** Pause after a check that succeeded, plus the spread; `CLUSTER_RESYNC_MS` if absent. */
  readonly everyMs?: number;
  /**
   * Called after each check with whether it was answered. "Another installation is in the way"
   * counts as an answer.
   */
  readonly onChecked?: (isAnswered: boolean) => void;
}

interface PeriodicCheck {
  readonly timers: Pick<Timers, 'random' | 'wait'>;
  readonly log: Log;
  readonly metrics: Pick<OperatorMetrics, 'count' | 'set'>;
}

/** Checks what an installation has in Temporal. */
export function schedulesStep(
  check: Step['check'],
  onChecked: (isAnswered: boolean) => void,
): Step {
  const what = 'the schedules and search attributes of Temporal';
  return { name: 'schedules', what, check, everyMs: SCHEDULES_MS, onChecked };
}

/**
 * Runs until the signal; then waits for nothing, even if a check hangs.
 * @throws a mistake of the program
 */
export async function checkPeriodically(
  step: Step,
  checking: PeriodicCheck,
  signal: AbortSignal,
): Promise<void> {
  const { timers, metrics } = checking;
  const { name, everyMs = CLUSTER_RESYNC_MS, onChecked = () => undefined } = step;
  while (!signal.aborted) {
    const failure = await runCheck(step, checking, signal);
    if (signal.aborted) return;
    const isAnswered = failure === null || failure.code === 'CONFLICT';
    metrics.set('installation_step_failing', { step: name }, isAnswered ? 0 : 1);
    onChecked(isAnswered);
    const pauseMs =
      failure === null ? everyMs * (1 + RESYNC_SPREAD * timers.random()) : AFTER_FAILURE_MS;
    // Rejects only when the signal is aborted, which ends the loop.
    await timers.wait(pauseMs, signal).catch(() => undefined);
  }
}

/** Runs one check. Returns its failure, which it logs, or null. A cancelled check did not fail. */
async function runCheck(
  { name, what, check }: Step,
  { log, metrics }: PeriodicCheck,
  signal: AbortSignal,
): Promise<VarveError | null> {
  try {
    await untilAborted(signal, check);
    return null;
  } catch (error) {
    if (!(error instanceof VarveError)) throw error;
    const { code, message } = error;
    log.warn({ code, step: name, error: message }, `failed to check ${what}; will retry`);
    metrics.count('installation_failures_total', { step: name });
    return error;
  }
}

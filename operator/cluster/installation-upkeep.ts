/**
 * What belongs to no resource: looked at when leading begins, and now and then from then on.
 *
 * Guarantees: each step goes at its own pace, so that one which fails or hangs holds up no other;
 * once the signal is aborted nothing is waited for.
 */
import { VarveError } from '#core/errors.ts';
import type { OperatorMetrics } from '#core/ports/metrics.ts';
import type { Log, Timers } from '#core/ports/platform.ts';
import { isReleased, type PolicyRecord } from '#core/records/policy.ts';
import { MEMORY_TENANT } from '#crds/resource-types.ts';
import { CLUSTER_RESYNC_MS, RESYNC_SPREAD } from '../resync.ts';
import { keyOf } from '../tenant/metadata-and-conditions.ts';
import { untilAborted } from '../timers.ts';
import { release } from './clean-up-tenant.ts';
import type { ClusterContext } from './cluster-context.ts';
import { leadingEpoch, endWhenFenced } from './fence.ts';
import type { Controllers } from './controllers.ts';
import { PROVIDERS_MAX } from './tenant-facts.ts';

// Releases tenants whose resource went without the operator: during an outage by force, or when a
// person removed the finaliser. No other part notices that.
//
// Guarantees: nothing is deleted; only what the API server says is gone is released, never what a
// cache does not have; repeatable.

/** Records of one read. */
const POLICIES_PER_PAGE = 500;
/** Asked of the API server in one round; more would crowd out the reconciles. */
const LOOKS_MAX = 1_000;

/**
 * Looks at every tenant of this cluster once, as far as `LOOKS_MAX` allows; what was released is
 * not asked for again, so that the next round goes further.
 * @throws VarveError CANCELLED where this process leads no more; what the store or the API throws
 */
async function releaseLeftOver(context: ClusterContext, signal: AbortSignal): Promise<void> {
  const { store, api, platform } = context;
  let looks = 0;
  let after: string | undefined;
  while (!signal.aborted) {
    const page = await store.policies.list(POLICIES_PER_PAGE, after);
    for (const { tenant, owner } of page.filter((record) => isToBeAsked(record, context))) {
      if (looks >= LOOKS_MAX || signal.aborted) return;
      looks += 1;
      const { namespace, name, uid } = owner;
      const live = await api.get(MEMORY_TENANT, { namespace, name }, signal);
      if (live?.metadata.uid === uid) continue;
      await context.fence.ensure();
      await release({ tenant, owner }, context);
      platform.log.warn({ tenant, namespace, name }, RELEASED);
    }
    if (page.length < POLICIES_PER_PAGE) return;
    after = page.at(-1)?.tenant;
  }
}

const RELEASED =
  'the resource of this tenant went without clean-up; the tenant is released and its memories ' +
  'are kept';

/** Own, held, in a namespace that may be read, and not seen to be there. */
function isToBeAsked(
  record: PolicyRecord,
  { clusterId, namespaces, lister }: ClusterContext,
): boolean {
  const { cluster, namespace, name, uid } = record.owner;
  if (cluster !== clusterId || isReleased(record)) return false;
  if (namespaces !== null && !namespaces.includes(namespace)) return false;
  return lister.tenant(keyOf({ namespace, name }))?.metadata.uid !== uid;
}

export interface InstallationKeeping {
  readonly context: ClusterContext;
  readonly controllers: Pick<Controllers, 'lookAtProviders'>;
  /** Such as schedules, by the epoch of the term; left alone once the signal is aborted. */
  readonly ensure: (epoch: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Until the signal: the outside world sends no word of what changes in it.
 * @throws whatever is a mistake of the program, and then ends every step
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
      look: async () => controllers.lookAtProviders(await providersInStore(context)),
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
      look: (signal) => releaseLeftOver(context, signal),
    },
  ];
}

/** A leader ends when the store or Temporal refuses it. */
function keep(step: Step, context: ClusterContext, signal: AbortSignal): Promise<void> {
  const { leadership, platform, timers, metrics } = context;
  const { log } = platform;
  const look = (ending: AbortSignal): Promise<void> =>
    endWhenFenced({ leadership, log }, () => step.look(ending));
  return checkPeriodically({ ...step, look }, { timers, log, metrics }, signal);
}

/** Keys of what the store has of this release, so that what is left over is found. */
export async function providersInStore({
  store,
  clusterId,
  releaseNamespace,
}: Pick<ClusterContext, 'store' | 'clusterId' | 'releaseNamespace'>): Promise<readonly string[]> {
  const records = await store.modelProviders.list(PROVIDERS_MAX);
  return records
    .filter(({ owner }) => owner.cluster === clusterId && owner.namespace === releaseNamespace)
    .map(({ owner }) => keyOf(owner));
}

/** After what could not be looked at. */
export const AFTER_FAILURE_MS = 30_000;
/** A Temporal that lost its state starts nothing that is due until it has its schedules again. */
export const SCHEDULES_MS = 60_000;

/**
 * Checks outside state at the start and then periodically, since that sends no notifications of
 * changes. The leader does it in a cluster, and the process that keeps a folder does it there.
 */
export interface Step {
  readonly name: 'providers' | 'schedules' | 'tenants';
  /** For the log line of a failure. */
  readonly what: string;
  readonly look: (signal: AbortSignal) => Promise<void>;
  /** Between two looks that went well, but for the spread; `CLUSTER_RESYNC_MS` where absent. */
  readonly everyMs?: number;
  /**
   * Called after each check: whether there was an answer, even one that another installation is in
   * the way.
   */
  readonly onLooked?: (isAnswered: boolean) => void;
}

export interface PeriodicCheck {
  readonly timers: Pick<Timers, 'random' | 'wait'>;
  readonly log: Log;
  readonly metrics: Pick<OperatorMetrics, 'count' | 'set'>;
}

/** What an installation has in Temporal. */
export function schedulesStep(look: Step['look'], onLooked: (isAnswered: boolean) => void): Step {
  const what = 'the schedules and search attributes of Temporal';
  return { name: 'schedules', what, look, everyMs: SCHEDULES_MS, onLooked };
}

/**
 * Until the signal; then nothing is waited for, also no look that hangs.
 * @throws whatever is a mistake of the program
 */
export async function checkPeriodically(
  step: Step,
  looking: PeriodicCheck,
  signal: AbortSignal,
): Promise<void> {
  const { timers, metrics } = looking;
  const { name, everyMs = CLUSTER_RESYNC_MS, onLooked = () => undefined } = step;
  while (!signal.aborted) {
    const failure = await looked(step, looking, signal);
    if (signal.aborted) return;
    const isAnswered = failure === null || failure.code === 'CONFLICT';
    metrics.set('installation_step_failing', { step: name }, isAnswered ? 0 : 1);
    onLooked(isAnswered);
    const pauseMs =
      failure === null ? everyMs * (1 + RESYNC_SPREAD * timers.random()) : AFTER_FAILURE_MS;
    // Rejects only when the signal is aborted, which ends the loop.
    await timers.wait(pauseMs, signal).catch(() => undefined);
  }
}

/** The failure, which is logged, or null; what fails because it was cancelled is none. */
async function looked(
  { name, what, look }: Step,
  { log, metrics }: PeriodicCheck,
  signal: AbortSignal,
): Promise<VarveError | null> {
  try {
    await untilAborted(signal, look);
    return null;
  } catch (error) {
    if (!(error instanceof VarveError)) throw error;
    const { code, message } = error;
    log.warn({ code, step: name, error: message }, `failed to look at ${what}; will retry`);
    metrics.count('installation_failures_total', { step: name });
    return error;
  }
}

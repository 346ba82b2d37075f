/**
 * What belongs to no resource: looked at when leading begins, and now and then from then on.
 *
 * Guarantees: each step goes at its own pace, so that one which fails or hangs holds up no other;
 * once the signal is aborted nothing is waited for.
 */
import { leadingEpoch, type ClusterContext } from './context.ts';
import type { Controllers } from './controllers.ts';
import { endWhenFenced } from './fence.ts';
import { keyOf } from '../tenant/resource-key.ts';
import { PROVIDERS_MAX } from './read-facts.ts';
import { lookNowAndThen, schedulesStep, type Step } from './periodic-sync.ts';
import { isReleased, type PolicyRecord } from '#core/records/policy-record.ts';
import { MEMORY_TENANT } from '#crds/resource-types.ts';
import { release } from './clean-up-tenant.ts';

// Lets go of tenants whose resource went without the operator: during an outage by force, or when
// somebody took the finaliser away. Nobody else would ever hear of it.
//
// Guarantees: nothing is deleted; only what the API server says is gone is let go of, never what a
// cache does not have; repeatable.

/** Records of one read. */
const POLICIES_PER_PAGE = 500;
/** Asked of the API server in one round; more would crowd out the reconciles. */
const LOOKS_MAX = 1_000;

/**
 * Looks at every tenant of this cluster once, as far as `LOOKS_MAX` allows; what was let go of is
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
      platform.log.warn({ tenant, namespace, name }, LET_GO);
    }
    if (page.length < POLICIES_PER_PAGE) return;
    after = page.at(-1)?.tenant;
  }
}

const LET_GO =
  'the resource of this tenant went without clean-up; the tenant is let go of and its memories ' +
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
      what: 'Tenants whose resource went without the operator',
      look: (signal) => releaseLeftOver(context, signal),
    },
  ];
}

/** A leader whom somebody refuses ends. */
function keep(step: Step, context: ClusterContext, signal: AbortSignal): Promise<void> {
  const { leadership, platform, timers, metrics } = context;
  const { log } = platform;
  const look = (ending: AbortSignal): Promise<void> =>
    endWhenFenced({ leadership, log }, () => step.look(ending));
  return lookNowAndThen({ ...step, look }, { timers, log, metrics }, signal);
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

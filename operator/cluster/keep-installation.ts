/**
 * What belongs to no resource: looked at when leading begins, and now and then from then on.
 *
 * Guarantees: each step goes at its own pace, so that one which fails or hangs holds up no other;
 * once the signal is aborted nothing is waited for.
 */
import { leadingEpoch, type ClusterContext } from './context.ts';
import type { Controllers } from './controllers.ts';
import { endWhenFenced } from './end-when-fenced.ts';
import { keyOf } from './resource-key.ts';
import { PROVIDERS_MAX } from './read-facts.ts';
import { releaseLeftOver } from './release-orphans.ts';
import { lookNowAndThen, schedulesStep, type Step } from '../periodic-sync.ts';

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
    schedulesStep((signal) => ensure(leadingEpoch(context), signal)),
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

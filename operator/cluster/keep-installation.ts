/** What belongs to no resource: looked at when leading begins, and now and then from then on. */
import { VarveError } from '#core/errors.ts';
import type { ClusterContext } from './context.ts';
import type { Controllers } from './controllers.ts';
import { endWhenFenced } from './end-when-fenced.ts';
import { keyOf } from './key.ts';
import { PROVIDERS_MAX } from './read-facts.ts';
import { releaseLeftOver } from './release-left-over.ts';
import { RESYNC_MS, RESYNC_SPREAD } from '../settled.ts';

/** After what could not be looked at. */
const AFTER_FAILURE_MS = 30_000;

export interface InstallationKeeping {
  readonly context: ClusterContext;
  readonly controllers: Pick<Controllers, 'lookAtProviders'>;
  /** Such as schedules. */
  readonly ensure: () => Promise<void>;
}

/** Until the signal: the outside world sends no word of what changes in it. */
export async function keepInstallation(
  keeping: InstallationKeeping,
  signal: AbortSignal,
): Promise<void> {
  const { context, controllers, ensure } = keeping;
  const { waiting, platform, leadership } = context;
  while (!signal.aborted) {
    let pauseMs = RESYNC_MS * (1 + RESYNC_SPREAD * waiting.random());
    try {
      controllers.lookAtProviders(await providersInStore(context));
      await ensure();
      const work = () => releaseLeftOver(context, signal);
      await endWhenFenced({ leadership, log: platform.log }, work);
    } catch (error) {
      if (!(error instanceof VarveError)) throw error;
      const { code, message } = error;
      platform.log.warn({ code }, `The installation is looked at again in a moment. ${message}`);
      pauseMs = AFTER_FAILURE_MS;
    }
    // Rejects only when the signal is aborted, which ends the loop.
    await waiting.wait(pauseMs, signal).catch(() => undefined);
  }
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

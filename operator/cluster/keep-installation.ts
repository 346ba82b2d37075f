/** What belongs to no resource: looked at when leading begins, and now and then from then on. */
import { VarveError } from '#core/errors.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { Waiting } from '../waiting.ts';
import type { OperatorStore } from './context.ts';
import type { Controllers } from './controllers.ts';
import { keyOf } from './key.ts';
import { PROVIDERS_MAX } from './read-facts.ts';
import { RESYNC_MS, RESYNC_SPREAD } from './settled.ts';

/** After what could not be looked at. */
const AFTER_FAILURE_MS = 30_000;

export interface InstallationKeeping {
  readonly store: Pick<OperatorStore, 'modelProviders'>;
  readonly platform: Platform;
  readonly waiting: Waiting;
  readonly clusterId: string;
  readonly controllers: Pick<Controllers, 'lookAtProviders'>;
  /** Such as schedules. */
  readonly ensure: () => Promise<void>;
}

/** Until the signal: the outside world sends no word of what changes in it. */
export async function keepInstallation(
  keeping: InstallationKeeping,
  signal: AbortSignal,
): Promise<void> {
  const { waiting, platform, controllers, ensure } = keeping;
  while (!signal.aborted) {
    let pauseMs = RESYNC_MS * (1 + RESYNC_SPREAD * waiting.random());
    try {
      controllers.lookAtProviders(await providersInStore(keeping));
      await ensure();
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

/** Keys of what the store has of this cluster, so that what is left over is found. */
async function providersInStore({
  store,
  clusterId,
}: InstallationKeeping): Promise<readonly string[]> {
  const records = await store.modelProviders.list(PROVIDERS_MAX);
  return records
    .filter(({ owner }) => owner.cluster === clusterId)
    .map(({ owner }) => keyOf(owner));
}

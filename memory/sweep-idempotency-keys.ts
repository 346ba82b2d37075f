/** Deletes expired idempotency keys, in the background of calls that create new ones. */
import { VarveError } from '#core/errors.ts';
import type { Lifetime } from './provider-lifetime.ts';
import type { ProviderPorts } from './provider-ports.ts';

/** Interval between sweeps of one tenant by one process; keys live for 7 days. */
const SWEEP_EVERY_MS = 3_600_000;
/** Maximum pages of one sweep; the next sweep takes the rest. */
const PAGES_MAX = 100;
/** Maximum tenants remembered as swept; a forgotten one is swept once more. */
const TENANTS_MAX = 10_000;

export interface KeySweep {
  noteKey(tenant: string): void;
}

export function createKeySweep(ports: ProviderPorts, lifetime: Lifetime): KeySweep {
  const { store, platform, timers } = ports;
  const sweptAt = new Map<string, number>();
  const sweep = async (tenant: string, signal: AbortSignal): Promise<void> => {
    try {
      for (let pages = 0; pages < PAGES_MAX && !signal.aborted; pages += 1) {
        if ((await store.idempotency.sweep(tenant, platform.clock())) === 0) return;
      }
    } catch (error) {
      const code = error instanceof VarveError ? error.code : 'CORRUPT';
      platform.log.warn(
        { tenant, code },
        'expired idempotency keys not deleted; will retry in an hour',
      );
    }
  };
  return {
    noteKey(tenant) {
      const now = timers.timer();
      const last = sweptAt.get(tenant);
      if (last !== undefined && now - last < SWEEP_EVERY_MS) return;
      if (sweptAt.size >= TENANTS_MAX) sweptAt.clear();
      sweptAt.set(tenant, now);
      lifetime.runBeside((signal) => sweep(tenant, signal));
    },
  };
}

/** Shortens leases from a clock that was ahead, and logs it, so that somebody sets the clock. */
import { futureLeaseClamp } from '#core/refresh/batch-lease.ts';
import type { RefreshPorts } from './refresh-ports.ts';

/** @param tenant null for every tenant */
export async function clampFutureLeases(
  { store, platform }: Pick<RefreshPorts, 'store' | 'platform'>,
  tenant: string | null,
): Promise<void> {
  const clamp = futureLeaseClamp(tenant, platform.clock());
  const scopes = await store.scopes.clampLeases(clamp);
  const shortened = scopes + (await store.variants.clampLeases(clamp));
  if (shortened === 0) return;
  platform.log.warn(
    { shortened },
    'shortened leases that a clock running ahead wrote; check the clocks',
  );
}

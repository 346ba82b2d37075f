/** Shortens the leases of a clock that was ahead, and says so, since a clock is then to be set. */
import { shortenFarLeases } from '#core/refresh/far-leases.ts';
import type { RefreshPorts } from './refresh-ports.ts';

/** @param tenant null for every tenant */
export async function cutFarLeases(
  { store, platform }: Pick<RefreshPorts, 'store' | 'platform'>,
  tenant: string | null,
): Promise<void> {
  const shortened = await shortenFarLeases(store, tenant, platform.clock());
  if (shortened === 0) return;
  platform.log.warn({ shortened }, 'leases of a clock that was ahead shortened; check the clocks');
}

/** Activity: the last act of a run, true only if nothing was asked for since it last looked. */
import { readWindow } from './read-window.ts';
import type { RefreshPorts } from './refresh-ports.ts';

export async function acknowledge(
  ports: RefreshPorts,
  { tenant, seen }: { tenant: string; seen: number },
): Promise<boolean> {
  const window = await readWindow(ports, { tenant });
  return window.kind === 'Idle' && (await ports.store.refreshRequests.acknowledge(tenant, seen));
}

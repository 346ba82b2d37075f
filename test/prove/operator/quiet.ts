/** Whether a state is reached, and whether nobody writes any more once it is. */
import { setTimeout as pause } from 'node:timers/promises';

import { resourceOf, isWrite } from '../../cluster/api-proxy/api-request.ts';
import { difference, settledState } from './settled.ts';
import { eventually, type OperatorWorld } from './world.ts';

const MINUTE_MS = 60_000;
const BOOKMARK_MS = 40_000;

/**
 * What is wrong: another state than the expected one, or a write after it within a minute of the
 * operator's time. The Lease is renewed all the time, and that is all.
 */
export async function settlesAs(
  world: OperatorWorld,
  expected: string,
  speed: number,
): Promise<readonly string[]> {
  try {
    await eventually('the state', async () => ((await world.state()) === expected ? true : null));
  } catch {
    return [`settled differently: ${difference(expected, await world.state())}`];
  }
  await settledState(world);
  const from = performance.now();
  await pause(MINUTE_MS / speed);
  const writes = world.proxy.record
    .since(from)
    .filter((request) => isWrite(request) && request.resource !== 'leases')
    .map((request) => `${request.verb} ${resourceOf(request)} ${request.name ?? ''}`);
  return writes.length === 0 ? [] : [`wrote once all was as declared: ${writes.join(', ')}`];
}

/** Bookmarks as often as a server sends them by the operator's time, until it is disposed of. */
export function keepBookmarking(world: OperatorWorld, speed: number): Disposable {
  const timer = setInterval(() => world.proxy.bookmarkWatches(), BOOKMARK_MS / speed);
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer);
    },
  };
}

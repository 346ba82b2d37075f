/** Whether a state is reached, and whether all writes stop once it is. */
import { setTimeout as pause } from 'node:timers/promises';

import { COUNTERS_EVERY_MS } from '#operator/cluster/status-writer.ts';

import { resourceOf, isWrite } from '../../cluster/api-proxy/api-request.ts';
import { difference, settledState } from './settled.ts';
import { eventually, type OperatorHarness } from './harness.ts';

export const MINUTE_MS = 60_000;
const BOOKMARK_MS = 40_000;

/** Numbers and times of a status are written so much later at most, in operator's time. */
const COUNTERS_MS_MAX = 1.2 * COUNTERS_EVERY_MS;

/**
 * What is wrong: another state than the expected one, or a write within so many milliseconds of
 * the clock once it and the last counters are written. The Lease is renewed all the time, and that
 * is all.
 */
export async function settlesAs(
  harness: OperatorHarness,
  expected: string,
  { speed, quietMs }: { readonly speed: number; readonly quietMs: number },
): Promise<readonly string[]> {
  try {
    await eventually('the state', async () => ((await harness.state()) === expected ? true : null));
  } catch {
    return [`settled differently: ${difference(expected, await harness.state())}`];
  }
  await settledState(harness);
  await pause(COUNTERS_MS_MAX / speed);
  const from = performance.now();
  await pause(quietMs);
  const writes = harness.proxy.record
    .since(from)
    .filter((request) => isWrite(request) && request.resource !== 'leases')
    .map((request) => `${request.verb} ${resourceOf(request)} ${request.name ?? ''}`);
  return writes.length === 0 ? [] : [`wrote once all was as declared: ${writes.join(', ')}`];
}

/** Bookmarks as often as a server sends them by the operator's time, until it is disposed of. */
export function keepBookmarking(harness: OperatorHarness, speed: number): Disposable {
  const timer = setInterval(() => harness.proxy.bookmarkWatches(), BOOKMARK_MS / speed);
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer);
    },
  };
}

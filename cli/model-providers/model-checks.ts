/**
 * Asks the providers in the background whether they are there, for the conditions that the operator
 * sets. What is asked costs nothing. Only what is new is written, so that workers which agree write
 * nothing in steady state.
 */
import type { ModelProviderRecords } from '#core/ports/model-provider-records.ts';
import type { Clock, Log } from '#core/ports/platform.ts';
import type { Timers } from '#memory/ports.ts';
import {
  AVAILABLE,
  foundOf,
  isConfirmed,
  isDue,
  isNews,
  lastCheck,
  type Found,
  type LastCheck,
} from './due-checks.ts';
import { KEPT_MS, type KnownProviders } from './known-providers.ts';
import type { ServedProvider } from './served-provider.ts';

/** Providers that are asked at once; each answers within its time limit, or counts as away. */
const AT_ONCE_MAX = 4;

export interface CheckPorts {
  readonly providers: KnownProviders;
  readonly records: Pick<ModelProviderRecords, 'recordCheck'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly timers: Pick<Timers, 'random' | 'wait'>;
}

/** Ends with its disposal, after the round that it is in. */
export function startModelChecks(ports: CheckPorts): AsyncDisposable {
  const controller = new AbortController();
  const turning = turn(ports, controller.signal);
  return {
    [Symbol.asyncDispose]: async () => {
      controller.abort();
      await turning;
    },
  };
}

async function turn(ports: CheckPorts, signal: AbortSignal): Promise<void> {
  const { timers, log } = ports;
  let seen: ReadonlyMap<string, LastCheck> = new Map();
  while (!signal.aborted) {
    try {
      seen = await checkRound(ports, seen, signal);
    } catch (error) {
      log.warn({ error }, 'failed to check model providers; will retry');
    }
    try {
      await timers.wait(KEPT_MS, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
  }
}

/** One look at all providers; answers what is remembered of those that are there. */
export async function checkRound(
  ports: CheckPorts,
  seen: ReadonlyMap<string, LastCheck>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, LastCheck>> {
  const known = await ports.providers.all();
  const now = ports.clock();
  const due = [...known.values()].filter(({ record, failedAt }) =>
    isDue(record, seen.get(record.name), { now, failedAt: failedAt() }),
  );
  const checked = new Map([...seen].filter(([name]) => known.has(name)));
  const lane = async (): Promise<void> => {
    for (let next = due.shift(); next !== undefined && !signal.aborted; next = due.shift()) {
      const last = seen.get(next.record.name);
      const { found, isTold } = await check(ports, next, last);
      const after = { now: ports.clock(), chance: ports.timers.random(), isTold };
      checked.set(next.record.name, lastCheck(next.record, found, after));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE_MAX }, lane));
  return checked;
}

async function check(
  { records, clock, log }: CheckPorts,
  { record, ask }: ServedProvider,
  last: LastCheck | undefined,
): Promise<{ found: Found; isTold: boolean }> {
  const { name, hash } = record;
  let found = AVAILABLE;
  try {
    await ask();
  } catch (error) {
    found = foundOf(error);
    const isKnown = !isNews(record, found);
    if (!isKnown) log.warn({ provider: name, error }, 'model provider not available');
  }
  const isTold = isConfirmed(record, found, last);
  if (isTold && isNews(record, found)) {
    await records.recordCheck(name, { hash, at: clock(), ...found });
  }
  return { found, isTold };
}

/**
 * Checks in the background whether the providers answer, for the conditions that the operator sets.
 * The checks cost nothing. Only changes are written, so workers that agree write nothing in steady
 * state.
 */
import { forEachConcurrently } from '#core/chunks-and-pages.ts';
import type { ModelProviderRecords } from '#core/ports/policy-records.ts';
import type { Clock, Log, Timers } from '#core/ports/platform.ts';
import type { ModelProviderRecord } from '#core/records/model-provider.ts';
import { KEPT_MS, type ProviderCache } from './provider-cache.ts';
import {
  AVAILABLE,
  stateOfFailure,
  type ProviderState,
  type ServedProvider,
} from './served-provider.ts';

/** Providers checked at once; each answers within its time limit, or counts as unavailable. */
const AT_ONCE_MAX = 4;

export interface CheckPorts {
  readonly providers: ProviderCache;
  readonly records: Pick<ModelProviderRecords, 'recordCheck'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly timers: Pick<Timers, 'random' | 'wait'>;
}

/** Starts the checks. Disposing waits for the current round. */
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

/** Checks all due providers once; returns what to remember of the existing ones. */
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
  await forEachConcurrently(due, AT_ONCE_MAX, async (next) => {
    if (signal.aborted) return;
    const last = seen.get(next.record.name);
    const { found, isReported } = await check(ports, next, last);
    const after = { now: ports.clock(), chance: ports.timers.random(), isReported };
    checked.set(next.record.name, lastCheck(next.record, found, after));
  });
  return checked;
}

async function check(
  { records, clock, log }: CheckPorts,
  { record, ask }: ServedProvider,
  last: LastCheck | undefined,
): Promise<{ found: ProviderState; isReported: boolean }> {
  const { name, hash } = record;
  let found = AVAILABLE;
  try {
    await ask();
  } catch (error) {
    found = stateOfFailure(error);
    const isKnown = !differsFromStored(record, found);
    if (!isKnown) log.warn({ provider: name, error }, 'model provider not available');
  }
  const isReported = isConfirmed(record, found, last);
  if (isReported && differsFromStored(record, found)) {
    await records.recordCheck(name, { hash, at: clock(), ...found });
  }
  return { found, isReported };
}

/** Pause after a check that succeeded. */
const CHECK_EVERY_MS = 5 * 60_000;
/** Pause after a check that failed; shorter, since a person may be fixing it. */
const CHECK_AGAIN_MS = 60_000;
/** Pause before the second check of a provider that became unreachable: only that reports it. */
const CONFIRM_MS = 12_000;
/** Random share of all pauses, so that workers that started together do not stay in step. */
const JITTER = 0.2;

/** What a worker remembers of its last check of a provider. */
export interface LastCheck {
  /** Hash of the provider that was checked. */
  readonly hash: string;
  readonly at: number;
  readonly dueAt: number;
  readonly state: ProviderState['state'];
}

/** Also due if a call failed since the last check, so that conditions show it soon. */
export function isDue(
  { hash }: ModelProviderRecord,
  last: LastCheck | undefined,
  { now, failedAt }: { now: number; failedAt: number | null },
): boolean {
  if (last?.hash !== hash) return true;
  return now >= last.dueAt || (failedAt !== null && failedAt > last.at);
}

/** Returns what to remember. `chance` is at least 0 and below 1. */
export function lastCheck(
  { hash }: ModelProviderRecord,
  { state }: ProviderState,
  { now, chance, isReported }: { now: number; chance: number; isReported: boolean },
): LastCheck {
  const again = isReported ? CHECK_AGAIN_MS : CONFIRM_MS;
  const pause = state === 'Available' ? CHECK_EVERY_MS : again;
  return { hash, at: now, dueAt: now + pause * (1 + JITTER * (2 * chance - 1)), state };
}

/**
 * Whether a finding is reported. "Away" needs two checks of one worker in a row, since a single
 * failure may come from the network.
 */
export function isConfirmed(
  { hash }: ModelProviderRecord,
  { state }: ProviderState,
  last: LastCheck | undefined,
): boolean {
  return state === 'Available' || (last?.hash === hash && last.state === state);
}

/** Whether the finding differs from the store; only then is it written. */
export function differsFromStored(
  { check }: ModelProviderRecord,
  { state, code }: ProviderState,
): boolean {
  return check?.state !== state || check.code !== code;
}

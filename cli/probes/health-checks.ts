/**
 * Checks the parts of a process in the background, so that probes are answered at once.
 *
 * Guarantees: a round ends within PART_MS_MAX whatever a part does; one round at a time.
 */
import {
  type PartCheck,
  type ProbeAnswer,
  type ProbeSource,
  startProbeServer,
} from '#api/probes.ts';
import { VarveError } from '#core/errors.ts';
import { isErrorCode } from '#core/error-codes.ts';
import type { Clock, Timers } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';
import { modelOutage, type OutageRecords } from '#core/refresh/model-outage.ts';
import type { TemporalClient } from '#providers/temporal/client.ts';
import type { RunningWorker } from '#providers/temporal/worker.ts';

// What a process knows of the parts that it needs, and how it answers a probe. Pure.

/** Rounds come every 5 s and end within 4, so after six missed rounds the loop itself is stuck. */
export const ROUND_SILENCE_MS_MAX = 30_000;

/**
 * `Always`: no call can be served without it. `Once`: it must have answered since the start, which
 * reveals a wrong address before the old pods end; later calls are served without it. `Shown`:
 * calls are served in any state, and the page shows the state.
 */
type PartNeed = 'Always' | 'Once' | 'Shown';

interface PartState {
  /** A name for people, such as `the store`. */
  readonly part: string;
  readonly need: PartNeed;
  /** Whether it ever answered. */
  readonly wasReached: boolean;
  /** The current problem; null if it answered, or was not asked yet. */
  readonly problem: string | null;
  /** When the current row of failures began, by the clock of the rounds. */
  readonly since: number | null;
}

interface RoundsState {
  /** When the last round ended, in milliseconds of a monotonic clock. */
  readonly endedAt: number;
  readonly parts: readonly PartState[];
}

export function aliveAnswer({ endedAt }: RoundsState, now: number): ProbeAnswer {
  const silence = now - endedAt;
  if (silence <= ROUND_SILENCE_MS_MAX) return { ok: true, findings: [] };
  const silent = secondsFrom(endedAt, now);
  return { ok: false, findings: [`the parts were not checked for ${silent}; restart it`] };
}

function secondsFrom(since: number | null, now: number): string {
  return `${String(Math.round((now - (since ?? now)) / 1_000))} s`;
}

export function readyAnswer(state: RoundsState, now: number): ProbeAnswer {
  const alive = aliveAnswer(state, now);
  const findings = [...alive.findings];
  let ok = alive.ok;
  for (const { part, need, wasReached, problem, since } of state.parts) {
    if (problem !== null) findings.push(`${part}: ${problem}, for ${secondsFrom(since, now)}`);
    else if (!wasReached) findings.push(`${part}: not asked yet`);
    if (need === 'Always') ok &&= wasReached && problem === null;
    else if (need === 'Once') ok &&= wasReached;
  }
  return { ok, findings };
}

/** Returns one check per part, to show what is wrong. */
export function partChecks({ parts }: RoundsState, now: number): readonly PartCheck[] {
  return parts.map(({ part, wasReached, problem, since }) => ({
    name: part.replace(/^the /u, '').toLowerCase(),
    ok: problem === null && wasReached,
    reason: problem ?? (wasReached ? null : 'not asked yet'),
    seconds: since === null ? null : Math.round((now - since) / 1_000),
  }));
}

const ROUND_EVERY_MS = 5_000;
/** Shorter than the pause between rounds, longer than a slow answer of a busy store. */
const PART_MS_MAX = 4_000;

export interface WatchedPart {
  readonly part: string;
  readonly need: PartNeed;
  /** Throws, or never ends, if the part does not answer. */
  ask(): Promise<unknown>;
}

export interface HealthChecksOptions {
  readonly parts: readonly WatchedPart[];
  readonly timers: Timers;
  /** Checked with every probe: whatever else makes the process useless. */
  readonly isAlive?: () => boolean;
}

export interface HealthChecks extends ProbeSource, AsyncDisposable {
  /** From now on calls should go elsewhere, since the process is about to end. */
  leave(): void;
}

/** Starts with a complete round, so that answers are right from the first probe on. */
export async function startHealthChecks(options: HealthChecksOptions): Promise<HealthChecks> {
  const { timers, isAlive = () => true } = options;
  const { timer } = timers;
  const controller = new AbortController();
  let isLeaving = false;
  let parts: readonly PartState[] = options.parts.map(({ part, need }) => {
    return { part, need, wasReached: false, problem: null, since: null };
  });
  let endedAt = timer();
  const round = async (): Promise<void> => {
    const before = parts;
    parts = await Promise.all(
      options.parts.map((each, index) => checkPart(each, before[index], timers)),
    );
    endedAt = timer();
  };
  await round();
  const turning = turn(round, timers, controller.signal);
  const dead = { ok: false, findings: ['nothing is polled any more; restart it'] };
  const leaving = { ok: false, findings: ['it is ending'] };
  return {
    leave: () => {
      isLeaving = true;
    },
    healthz: () => (isAlive() ? aliveAnswer({ endedAt, parts }, timer()) : dead),
    readyz: () => {
      if (isLeaving) return leaving;
      return isAlive() ? readyAnswer({ endedAt, parts }, timer()) : dead;
    },
    checks: () => partChecks({ endedAt, parts }, timer()),
    [Symbol.asyncDispose]: async () => {
      controller.abort();
      await turning;
    },
  };
}

/** Ends when the signal aborts. */
async function turn(round: () => Promise<void>, { wait }: Timers, signal: AbortSignal) {
  for (;;) {
    try {
      await wait(ROUND_EVERY_MS, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    await round();
  }
}

async function checkPart(
  watched: WatchedPart,
  before: PartState | undefined,
  timers: Timers,
): Promise<PartState> {
  const { part, need } = watched;
  const asked = timers.timer();
  try {
    await within(watched.ask(), timers);
    return { part, need, wasReached: true, problem: null, since: null };
  } catch (error) {
    // At most a code: messages of drivers contain hosts and users.
    const code = error instanceof VarveError ? error.code : 'PROVIDER_ERROR';
    const known = error instanceof VarveError ? error.details['forMs'] : undefined;
    const problem =
      typeof known === 'number' ? `is unavailable (${code})` : `does not answer (${code})`;
    const since = typeof known === 'number' ? asked - known : (before?.since ?? asked);
    return { part, need, wasReached: before?.wasReached ?? false, problem, since };
  }
}

async function within(asked: Promise<unknown>, { wait }: Timers): Promise<void> {
  const controller = new AbortController();
  const late = wait(PART_MS_MAX, controller.signal).then(() => {
    throw new VarveError(
      'TIMEOUT',
      'The store, Temporal or the API server did not answer in time.',
      {
        details: { timeoutMs: PART_MS_MAX },
      },
    );
  });
  // The timeout is cancelled when the part answers; by then nothing waits for it.
  late.catch(() => undefined);
  try {
    await Promise.race([asked, late]);
  } finally {
    controller.abort();
  }
}

interface WorkerProbesOptions {
  readonly host: string;
  /** 0 for a free port. */
  readonly port: number;
  readonly store: WatchedStore;
  readonly clock: Clock;
  readonly client: Pick<TemporalClient, 'client'>;
  readonly worker: Pick<RunningWorker, 'isPolling'>;
  readonly timers: Timers;
}

/** @throws VarveError INVALID_INPUT if the port is taken */
export async function startWorkerProbes(
  options: WorkerProbesOptions,
): Promise<AsyncDisposable & { readonly url: string }> {
  const { host, port, store, client, worker, timers, clock } = options;
  await using held = new AsyncDisposableStack();
  const { workflowService } = client.client.connection;
  const rounds = held.use(
    await startHealthChecks({
      timers,
      isAlive: () => worker.isPolling(),
      parts: [
        storePart(store),
        { part: 'Temporal', need: 'Always', ask: () => workflowService.getSystemInfo({}) },
        modelsPart(store, clock),
      ],
    }),
  );
  const server = held.use(await startProbeServer({ host, port, source: rounds }));
  const running = held.move();
  return { url: server.url, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** No tenant has this id, so the answer does not depend on the content of the store. */
const ASKED_TENANT = 'varve-health';

/** Checks the store with one read by key, which costs the same for any size. */
export function storePart({ policies }: Pick<Store, 'policies'>): WatchedPart {
  return { part: 'the store', need: 'Always', ask: () => policies.get(ASKED_TENANT) };
}

type WatchedStore = Pick<Store, 'policies' | 'scopes' | 'modelProviders'>;

/** Shows the models as workers last found them; without them, readers get earlier summaries. */
export function modelsPart(store: OutageRecords, clock: Clock): WatchedPart {
  return {
    part: 'models',
    need: 'Shown',
    ask: async () => {
      const outage = await modelOutage(store, clock());
      if (outage === null) return;
      const { code, since } = outage;
      const forMs = clock() - since;
      throw new VarveError(isErrorCode(code) ? code : 'PROVIDER_ERROR', 'A model is unavailable.', {
        details: { forMs },
      });
    },
  };
}

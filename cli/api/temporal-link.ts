/**
 * Temporal as the API uses it: to request refreshes, and to have dreams run. The API reads and
 * writes without it, since the store keeps what is owed, so a server that is away when the API
 * starts is tried again.
 */
import { VarveError } from '#core/errors.ts';
import type { DreamRuns } from '#core/ports/dream-runs.ts';
import type { FlushRuns } from '#core/ports/flush-runs.ts';
import type { Log } from '#core/ports/platform.ts';
import type { RefreshHealth, RefreshTrigger } from '#core/ports/refresh-trigger.ts';
import type { TemporalClient } from '#providers/temporal/client.ts';
import type { Timers } from '../probes/health-rounds.ts';

/** One attempt of each replica; the connection is kept alive by itself once it is there. */
const RETRY_EVERY_MS = 5_000;

export interface TemporalLink extends AsyncDisposable {
  /** Of writes, and of dreams that are asked for. */
  readonly runs: RefreshTrigger & { readonly dreams: DreamRuns; readonly flushes: FlushRuns };
  readonly health: () => Promise<RefreshHealth>;
  /** @throws VarveError PROVIDER_ERROR where the server does not answer. */
  ask(): Promise<void>;
}

export interface TemporalLinkOptions {
  readonly connect: () => Promise<TemporalClient>;
  readonly timers: Timers;
  readonly log: Log;
}

/** Answers at once and connects in the background; `ask` says when it has. */
export function linkTemporal(options: TemporalLinkOptions): TemporalLink {
  const { connect, timers, log } = options;
  const controller = new AbortController();
  const state: { client: TemporalClient | null } = { client: null };
  const attempt = async (): Promise<void> => {
    try {
      state.client = await connect();
    } catch (error) {
      log.warn({ error }, 'no answer from Temporal; trying again');
    }
  };
  const trying = keepTrying(() => state.client !== null, attempt, { timers, controller });
  const reached = (): TemporalClient => {
    if (state.client !== null) return state.client;
    throw new VarveError('PROVIDER_ERROR', 'Temporal was not reached yet; see TEMPORAL_ADDRESS.');
  };
  return {
    runs: {
      wake: async (tenant, message) => reached().wake(tenant, message),
      continueReembed: async (generations) => reached().continueReembed?.(generations),
      dreams: {
        start: async (input) => reached().dreams.start(input),
        apply: async (input) => reached().dreams.apply(input),
      },
      flushes: { start: async (input) => reached().flushes.start(input) },
      compactions: {
        start: async (tenant) => reached().compactions.start(tenant),
        last: async (tenant) => reached().compactions.last(tenant),
      },
    },
    health: async () => (state.client === null ? NOT_REACHED : state.client.health()),
    ask: async () => {
      await reached().client.connection.workflowService.getSystemInfo({});
    },
    [Symbol.asyncDispose]: async () => {
      controller.abort();
      await trying;
      await state.client?.[Symbol.asyncDispose]();
    },
  };
}

const NOT_REACHED: RefreshHealth = {
  ok: false,
  findings: ['Temporal was not reached yet; nothing is refreshed until it is'],
};

async function keepTrying(
  isDone: () => boolean,
  attempt: () => Promise<void>,
  { timers, controller }: { timers: Timers; controller: AbortController },
): Promise<void> {
  for (;;) {
    await attempt();
    if (isDone()) return;
    try {
      await timers.wait(RETRY_EVERY_MS, controller.signal);
    } catch (error) {
      if (controller.signal.aborted) return;
      throw error;
    }
  }
}

/** A change of model on the terminal, from its first tenant to the last cut-over. */
import { setTimeout as sleep } from 'node:timers/promises';
import { VarveError } from '#core/errors.ts';
import type { ReembedRuns } from '#providers/temporal/reembed-runs.ts';
import type { Report } from '#providers/temporal/server-progress.ts';
import type { Parts } from '../compose.ts';
import { changesOf, missingOf } from './installation.ts';

const LOOK_EVERY_MS = 1_000;
/** A worker that is busy starts a run within this time. */
const BEGIN_TIMEOUT_MS = 60_000;

export interface Watched {
  readonly parts: Parts;
  readonly runs: ReembedRuns;
  readonly generation: string;
  readonly report: Report;
  readonly signal: AbortSignal;
}

export type WatchEnd = 'CutOver' | 'Paused' | 'Interrupted';

/**
 * Resolves when the run has begun with its first tenants.
 * @throws VarveError PROVIDER_REJECTED where it ended without; TIMEOUT
 */
export async function untilBegun({ parts, runs, generation }: Watched): Promise<void> {
  const end = performance.now() + BEGIN_TIMEOUT_MS;
  while (performance.now() < end) {
    const changes = await changesOf(parts.store, generation);
    if (changes.length > 0) return;
    if ((await runs.status(generation)) === null) {
      const result = await runs.settled(generation);
      if (result?.lastError == null) return;
      const message =
        'The running varve does not know this model. Start it again with the same ' +
        'VARVE_EMBEDDING_ variables as this command has. Nothing was changed.';
      throw new VarveError('PROVIDER_REJECTED', message, {
        details: { generation, code: result.lastError },
      });
    }
    await sleep(LOOK_EVERY_MS);
  }
  const message = 'The worker has not begun yet. See varve embeddings status, and varve doctor.';
  throw new VarveError('TIMEOUT', message);
}

/** Shows the progress until every tenant is cut over, the change is paused, or Ctrl-C comes. */
export async function watch(watched: Watched, memories: number): Promise<WatchEnd> {
  const { parts, runs, generation, report, signal } = watched;
  let total = memories;
  let told: string | null = null;
  while (!signal.aborted) {
    const changes = await changesOf(parts.store, generation);
    const missing = await missingOf(parts.store, changes, parts.platform.clock());
    total = Math.max(total, missing.memories);
    const done = total - missing.memories;
    report.step({ label: 'embedding', done, total, unit: 'memories' });
    if (missing.tenants === 0) return 'CutOver';
    if (changes.every(({ phase }) => phase !== 'Filling')) return 'Paused';
    const lastError = (await runs.status(generation))?.lastError ?? null;
    if (lastError !== null && lastError !== told) {
      report.line(`${lastError}: some tenants wait and are tried again; see docs/errors.md`);
    }
    told = lastError;
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  return 'Interrupted';
}

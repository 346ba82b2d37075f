/** Waits for a compaction that was asked for, wherever it runs. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CompactionStatusAnswer } from '#api/operations/conversation.ts';
import { VarveError } from '#core/errors.ts';
import type { Varve } from './open-varve.ts';

const LOOK_EVERY_MS = 200;
/** Some hundred thousand sessions; a person does not wait longer. */
const WAIT_MS_MAX = 30 * 60_000;

/**
 * How the run ended; null where the command is ended before that. It goes on without us.
 * @throws VarveError TIMEOUT; PROVIDER_ERROR where the run failed or was terminated
 */
export async function watchCompaction(
  memory: Pick<Varve['memory'], 'compactionStatus'>,
  tenant: string,
  signal: AbortSignal,
): Promise<CompactionStatusAnswer | null> {
  const end = performance.now() + WAIT_MS_MAX;
  while (performance.now() < end && !signal.aborted) {
    const seen = await memory.compactionStatus({ tenant });
    if (seen.state === 'Done') return seen;
    if (seen.state !== 'UnderWay') throw failed();
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  if (signal.aborted) return null;
  const message = 'The compaction has not ended yet, and goes on. Ask again: varve compact.';
  throw new VarveError('TIMEOUT', message);
}

function failed(): VarveError {
  const message = 'The compaction ended before it was through; what went is gone. Try again.';
  return new VarveError('PROVIDER_ERROR', message);
}

/** How failures of a reconcile end: soon tried again, and never late. */
import { expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { createLog } from '#providers/node/log.ts';
import {
  DURING_OUTAGE_MS,
  GROWING_ATTEMPTS_MAX,
  withBoundedRetries,
} from '#operator/cluster/bounded-retries.ts';

const AWAY = new VarveError('PROVIDER_ERROR', 'The server does not answer.');
const REFUSED = new VarveError('FORBIDDEN', 'The server does not allow it.');

function failing(thrown: VarveError, attempt: number, log = SILENT_LOG) {
  const reconcile = withBoundedRetries(() => Promise.reject(thrown), log);
  return reconcile({ key: 'a/b', attempt, signal: new AbortController().signal });
}

test('the first failures are left to the queue and its growing pauses', async () => {
  await expect(failing(AWAY, GROWING_ATTEMPTS_MAX)).rejects.toBe(AWAY);
});

test('in an outage that lasts, the pauses grow no more', async () => {
  const result = await failing(AWAY, GROWING_ATTEMPTS_MAX + 1);
  expect(result).toEqual({ kind: 'RequeueAfter', ms: DURING_OUTAGE_MS });
});

test('what does not pass by itself is left to the queue', async () => {
  await expect(failing(REFUSED, GROWING_ATTEMPTS_MAX + 1)).rejects.toBe(REFUSED);
});

test('the log of an outage that lasts names the object whose reconcile fails', async () => {
  const lines: string[] = [];
  const log = createLog({ level: 'warn', destination: { write: (line) => lines.push(line) } });
  await failing(AWAY, GROWING_ATTEMPTS_MAX + 1, log);
  const told = { resource: 'a/b', namespace: 'a', name: 'b', code: 'PROVIDER_ERROR' };
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual([expect.objectContaining(told)]);
});

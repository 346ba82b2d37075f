/** The API server under test: `node --expose-gc server-program.ts FOLDER TOKEN`, over IPC. */
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { startApiServer } from '#api/http-server.ts';
import { apiPortsOf, withAuditAndCallLimits, openParts } from '#cli/composition-root.ts';
import { SILENT_LOG, type Log } from '#core/ports/platform.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { fillHarness, type Harness } from './harness.ts';

export type FromServer =
  | { readonly kind: 'Ready'; readonly url: string; readonly harness: Harness }
  | { readonly kind: 'Error'; readonly words: string }
  | { readonly kind: 'Memory'; readonly bytes: number };

/** Callers may be as quick as they can; how they are held up has tests of its own. */
const LIMITS = { perSecond: 1_000_000, atOnce: 1_000, subscriptions: 10 };
const PAUSE_MS = 1_000;
const COLLECTIONS = 3;

const [folder = '', token = ''] = process.argv.slice(2);

const tell = (message: FromServer): void => {
  process.send?.(message);
};
const log: Log = {
  ...SILENT_LOG,
  error: ({ error, ...fields }, message) => {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    tell({ kind: 'Error', words: `${message} ${JSON.stringify(fields)} ${stack}` });
  },
};
const settings = withAuditAndCallLimits({ callLimits: { key: LIMITS, tenant: LIMITS } });
const parts = await openParts({ dataDir: folder, log, settings });
const begun = () => Promise.resolve('Started' as const);
const runs = { ...NO_REFRESH_TRIGGER, dreams: { start: begun, apply: begun } };
const ports = apiPortsOf(parts, runs, null);
const harness = await fillHarness(ports);
const server = await startApiServer({ ports, host: '127.0.0.1', port: 0, token });

/** What is held once nothing is under way. */
async function heldBytes(): Promise<number> {
  await sleep(PAUSE_MS);
  for (let at = 0; at < COLLECTIONS; at += 1) await globalThis.gc?.({ execution: 'async' });
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

process.on('message', () => {
  void heldBytes().then((bytes) => {
    tell({ kind: 'Memory', bytes });
  });
});
process.once('disconnect', () => {
  process.exit(0);
});
tell({ kind: 'Ready', url: server.url, harness });

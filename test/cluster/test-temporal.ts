/** The Temporal server of a test run: the one that `TEMPORAL_ADDRESS` names, or an embedded one. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { nodePlatform } from '#providers/temporal/server-platform.ts';
import { temporalDatabaseFile } from '#providers/temporal/server-database.ts';
import { obtainTemporal } from '#providers/temporal/server-program.ts';
import { startTemporalServer } from '#providers/temporal/server.ts';
import { createProgress } from '#cli/progress-bar.ts';

/** Names the server of the run to its tests. */
const TEST_TEMPORAL = 'VARVE_TEST_TEMPORAL';
/** Names the file with the bundled workflows of the run to its tests. */
export const TEST_BUNDLE = 'VARVE_TEST_BUNDLE';

export interface TestTemporal extends AsyncDisposable {
  readonly address: string;
}

/** The server that test/run.ts started, or one for a test file or a proof that is run by itself. */
export function openTestTemporal(): Promise<TestTemporal> {
  const address = process.env[TEST_TEMPORAL];
  if (address === undefined) return startTestTemporal();
  return Promise.resolve({ address, [Symbol.asyncDispose]: () => Promise.resolve() });
}

/** Obtains, builds where it must, and starts; the file of the server goes with it. */
export async function startTestTemporal(): Promise<TestTemporal> {
  const given = process.env['TEMPORAL_ADDRESS'];
  if (given !== undefined) {
    return { address: given, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  await using held = new AsyncDisposableStack();
  const platform = nodePlatform(process.env);
  const report = createProgress({ stream: process.stderr });
  const program = await obtainTemporal({ platform, report });
  const folder = await mkdtemp(path.join(tmpdir(), 'varve-temporal-'));
  held.defer(() => rm(folder, { recursive: true, force: true }));
  const server = held.use(
    await startTemporalServer({
      platform,
      program,
      dbFile: temporalDatabaseFile(folder, program.serverVersion),
      logFile: path.join(folder, 'temporal.log'),
      namespace: 'default',
    }),
  );
  const running = held.move();
  return { address: server.address, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

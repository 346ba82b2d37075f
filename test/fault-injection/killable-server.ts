/** A Temporal server that can be killed and restarted, on its file or on a new one. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { nodePlatform } from '#providers/temporal/server-platform.ts';
import { temporalDatabaseFile } from '#providers/temporal/server-database.ts';
import { obtainTemporal } from '#providers/temporal/server-program.ts';
import { startTemporalServer, type TemporalServer } from '#providers/temporal/server.ts';
import { createProgress } from '#cli/progress-bar.ts';

export interface KillableServer extends AsyncDisposable {
  readonly address: string;
  readonly namespace: string;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Starts it again on its port; with `fresh` its file is deleted first. */
  revive(options: { readonly fresh: boolean }): Promise<void>;
}

/** `dynamicConfig` as in `startTemporalServer`. */
export async function startKillableServer(
  dynamicConfig: Readonly<Record<string, string>> = {},
): Promise<KillableServer> {
  const platform = nodePlatform(process.env);
  const program = await obtainTemporal({
    platform,
    report: createProgress({ stream: process.stderr }),
  });
  await using held = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'varve-killable-'));
  held.defer(() => rm(folder, { recursive: true, force: true }));
  const dbFile = temporalDatabaseFile(folder, program.serverVersion);
  const logFile = path.join(folder, 'temporal.log');
  const own = { dbFile, logFile, namespace: 'default', dynamicConfig };
  const options = { platform, program, ...own };
  const state: { server: TemporalServer } = { server: await startTemporalServer(options) };
  held.defer(() => state.server[Symbol.asyncDispose]());
  const { ports, address, namespace } = state.server;
  const running = held.move();
  return {
    address,
    namespace,
    kill: async () => {
      process.kill(state.server.pid, 'SIGKILL');
      await state.server.exited;
      await state.server[Symbol.asyncDispose]();
    },
    revive: async ({ fresh }) => {
      if (fresh) await rm(path.dirname(dbFile), { recursive: true, force: true });
      state.server = await startTemporalServer({ ...options, port: ports.grpc, uiPort: ports.ui });
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

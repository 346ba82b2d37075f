/** Temporal for a stack: the server whose address is given, or an embedded one kept alive. */
import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '#core/ports/platform.ts';
import type { TemporalProgram } from '#providers/temporal/server-program.ts';
import type { Report } from '#providers/temporal/server-progress.ts';
import type { StartServerOptions, TemporalServer } from '#providers/temporal/server.ts';
import { VarveError } from '#core/errors.ts';
import type { Config } from '../config.ts';
import { stackPaths } from './paths.ts';
import { isDeadLetter, quickDeathsAfter } from './worker-child.ts';

const RESTART_PAUSE_MS = 500;

export interface StackTemporal extends AsyncDisposable {
  readonly address: string;
  readonly namespace: string;
  readonly uiUrl: string | null;
  /** True where the server knows nothing of earlier runs. */
  readonly isNew: boolean;
  /** Rejects when the embedded server cannot be kept alive. */
  readonly failed: Promise<never>;
}

/** @throws VarveError PROVIDER_ERROR naming the ways out where no server can be had. */
export async function openTemporal(
  config: Config,
  { report, log, signal }: { report: Report; log: Log; signal: AbortSignal },
): Promise<StackTemporal> {
  if (config.temporalAddress !== null) return givenTemporal(config, config.temporalAddress);
  const [server, program, machine, locks] = await Promise.all([
    import('#providers/temporal/server.ts'),
    import('#providers/temporal/server-program.ts'),
    import('#providers/temporal/platform.ts'),
    import('#providers/node/exclusive-lock.ts'),
  ]);
  const { environment: env } = config;
  const platform = machine.nodePlatform({ env, acquireLock: locks.acquireExclusiveLock });
  const obtained = await program.obtainTemporal({ platform, report, signal });
  const options = await serverOptions(config, { platform, program: obtained, report, signal });
  const isNew = (await stat(options.dbFile).catch(() => null)) === null;
  const first = await server.startTemporalServer(options);
  return keptAlive(first, {
    start: server.startTemporalServer,
    options,
    log,
    isNew,
    timer: () => performance.now(),
    pause: () => sleep(RESTART_PAUSE_MS),
  });
}

function givenTemporal(config: Config, address: string): StackTemporal {
  return {
    address,
    namespace: config.temporalNamespace,
    uiUrl: null,
    isNew: false,
    failed: new Promise<never>(() => undefined),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

async function serverOptions(
  config: Config,
  rest: Pick<StartServerOptions, 'platform' | 'report' | 'signal'> & { program: TemporalProgram },
): Promise<StartServerOptions> {
  const { temporalDatabaseFile } = await import('#providers/temporal/server-database.ts');
  const paths = stackPaths(config.dataDir);
  return {
    ...rest,
    dbFile: temporalDatabaseFile(paths.temporalFolder, rest.program.serverVersion),
    logFile: paths.temporalLog,
    namespace: config.temporalNamespace,
    port: config.temporalPort === 0 ? undefined : config.temporalPort,
    uiPort: config.uiPort === 0 ? undefined : config.uiPort,
  };
}

export interface Keeping {
  readonly start: (options: StartServerOptions) => Promise<TemporalServer>;
  readonly options: StartServerOptions;
  readonly log: Log;
  readonly isNew: boolean;
  readonly timer: () => number;
  /** Before each restart. */
  readonly pause: () => Promise<void>;
}

/** A server that ends unasked is started again on its own ports, so that clients find it. */
export function keptAlive(first: TemporalServer, keeping: Keeping): StackTemporal {
  const { start, options, log, isNew, timer, pause } = keeping;
  const state = { server: first, stopping: false };
  const { grpc: port, ui: uiPort } = first.ports;
  const keep = async (): Promise<never> => {
    let quickDeaths = 0;
    for (;;) {
      const startedAt = timer();
      const exit = await state.server.exited;
      if (state.stopping) return new Promise<never>(() => undefined);
      quickDeaths = quickDeathsAfter(quickDeaths, timer() - startedAt);
      if (isDeadLetter(quickDeaths)) {
        throw new VarveError('PROVIDER_ERROR', 'Temporal ends again and again; see its log.');
      }
      log.warn({ exit, quickDeaths }, 'Temporal server exited; restarting it');
      await state.server[Symbol.asyncDispose]();
      await pause();
      state.server = await start({ ...options, port, uiPort });
    }
  };
  const failed = keep();
  failed.catch(() => undefined);
  return {
    address: first.address,
    namespace: first.namespace,
    uiUrl: first.uiUrl,
    isNew,
    failed,
    [Symbol.asyncDispose]: async () => {
      state.stopping = true;
      await state.server[Symbol.asyncDispose]();
    },
  };
}

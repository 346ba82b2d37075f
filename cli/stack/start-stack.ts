/**
 * The whole of Varve on one machine: store, policy folder, Temporal, worker, API.
 *
 * Flow: take the lock of the data folder → open the store → apply the policies (a wrong one ends
 * the start before anything runs) → Temporal → worker → API. Disposing goes in reverse order.
 * Guarantees: one stack per data folder; two folders run side by side; no child outlives the stack.
 */
import { pagesOf } from '#core/chunks-and-pages.ts';
import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { settleLostAttempts } from '#activities/settle-lost-reservations.ts';
import { portsOfTenant, type RefreshPorts } from '#activities/refresh-ports.ts';
import { requestDueRefreshes } from '#activities/request-due-refreshes.ts';
import { checkApiPort, startApiServer, type ApiServer } from '#api/http-server.ts';
import { VarveError } from '#core/errors.ts';
import type { MetricsPage, OperatorMetrics } from '#core/ports/metrics.ts';
import type { Tracing } from '#core/ports/tracing.ts';
import type { Log } from '#core/ports/platform.ts';
import { FOLDER_CLUSTER } from '#core/records/policy.ts';
import { scopePages } from '#core/refresh/record-pages.ts';
import { applyRelease } from '#core/refresh/retries-and-dead-letters.ts';
import {
  reconcileFolder,
  type ReconcileOptions,
  type ReconcileOutcome,
  nothingRead,
} from '#operator/folder/reconcile-folder.ts';
import { EnforcedPolicies } from '#operator/tenant/enforced-policies.ts';
import { openFilesMax } from '#providers/node/open-files.ts';
import { createPrometheusOperatorMetrics } from '#providers/prometheus/operator-exporter.ts';
import type { TemporalClient } from '#providers/temporal/client.ts';
import type { TemporalSecurity } from '#providers/temporal/connection-security.ts';
import type { TemporalProgram } from '#providers/temporal/server-program.ts';
import type { Report } from '#providers/temporal/server-progress.ts';
import type { StartServerOptions, TemporalServer } from '#providers/temporal/server.ts';
import { apiPortsOf, withAuditAndCallLimits, openParts, type Parts } from '../composition-root.ts';
import type { Config } from '../config.ts';
import { environmentSecrets } from '../model-providers/provider-key.ts';
import { keepFolder, withOperatorPage } from '../operator/run-folder.ts';
import { createTemporalPart } from '../operator/temporal-part.ts';
import { openTokenReaders } from '../access-token-settings.ts';
import {
  writeAddresses,
  makeDataFolder,
  stackPaths,
  openLogFile,
  localToken,
  ensurePolicyFolder,
  lockDataFolder,
} from '../installation-files.ts';
import {
  startWorkerChild,
  type WorkerChild,
  isCrashLoop,
  quickDeathsAfter,
} from './worker-child.ts';
import { openPartTracing } from '../tracing-settings.ts';

/** Tenants of one page. */
const TENANTS_PER_PAGE = 500;

/**
 * Frees the leases of runs that a new Temporal server cannot know, so that nothing waits for them,
 * and settles what their calls had reserved, since they may have been charged. Correct only while
 * no worker runs: the caller holds the lock of the installation.
 */
export async function freeLeases(ports: RefreshPorts): Promise<number> {
  const { store } = ports;
  let freed = 0;
  const limit = TENANTS_PER_PAGE;
  // Includes tenants with scopes for which no policy was ever declared.
  const read = (after: string | null = null) => store.embeddings.tenants({ after, limit });
  for await (const page of pagesOf(limit, read)) {
    for (const tenant of page) freed += await freeTenant(ports, tenant);
  }
  return freed;
}

async function freeTenant(ports: RefreshPorts, tenant: string): Promise<number> {
  const { store, platform } = ports;
  const batches = new Set<string>();
  let freed = 0;
  for await (const page of scopePages(store.scopes, tenant)) {
    for (const scope of page) {
      if (scope.lease === null) continue;
      batches.add(scope.lease.batchId);
      if (await store.scopes.replace(applyRelease(scope, platform.clock()))) freed += 1;
    }
  }
  const known = batches.size === 0 ? ports : await portsOfTenant(ports, tenant);
  for (const batchId of batches) {
    await settleLostAttempts(known, { tenant, batchId });
    await store.answers.close(tenant, batchId);
  }
  return freed;
}

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
const API_HOST = '127.0.0.1';

interface StackOptions {
  readonly config: Config;
  readonly report: Report;
  readonly signal: AbortSignal;
}

export interface Stack extends AsyncDisposable {
  readonly parts: Parts;
  readonly policies: ReconcileOutcome;
  readonly temporal: StackTemporal;
  readonly client: TemporalClient;
  readonly api: ApiServer;
  readonly apiToken: string;
  /** Rejects when a part cannot be kept alive. */
  readonly failed: Promise<never>;
}

/** @throws VarveError CONFLICT if another stack runs on the folder; errors of each part */
export async function startStack({ config, report, signal }: StackOptions): Promise<Stack> {
  const paths = stackPaths(config.dataDir);
  await using held = new AsyncDisposableStack();
  await makeDataFolder(config.dataDir);
  const taken =
    'Another varve runs on this data folder. Stop it, or choose another folder with --data-dir.';
  held.use(await lockDataFolder(config.dataDir, taken));
  const log = held.use(openLogFile(paths.serviceLog, config.logLevel));
  const tracing = held.use(await openPartTracing(config.environment, { part: 'varve', log }));
  const { dataDir } = config;
  const parts = held.use(
    await openParts({
      dataDir,
      log,
      tracing,
      settings: withAuditAndCallLimits(config.settings),
      embeddingSecrets: environmentSecrets(config.environment),
      report,
    }),
  );
  const { store, platform, calendar } = parts;
  const { policyDir: dir } = config;
  const operator = createPrometheusOperatorMetrics(() => undefined);
  const folder = {
    dir,
    store,
    platform,
    calendar,
    clusterId: FOLDER_CLUSTER,
    releaseNamespace: config.operator.releaseNamespace,
    metrics: operator.metrics,
    enforcedPolicies: new EnforcedPolicies(),
    lastRead: nothingRead(),
  };
  await ensurePolicyFolder(dir);
  const policies = await reconcileFolder({ ...folder, signal });
  if (config.apiPort !== null) await checkApiPort({ host: API_HOST, port: config.apiPort });

  const temporal = held.use(await openTemporal(config, { report, log, signal }));
  const client = held.use(await connectClient(temporal, config.temporalSecurity, tracing));
  if (temporal.isNew) await freeLeases(parts);
  report.line('starting the worker');
  const worker = held.use(await startWorkerChild({ ...workerProgram(config, temporal), log }));
  await requestDueRefreshes(parts, client);

  const apiToken = await localToken(paths.token);
  const page = withWorker(withOperatorPage(parts.metricsPage, operator.page), worker);
  const ports = apiPortsOf({ ...parts, metricsPage: page }, client, () => client.health());
  const { readers } = held.use(await openTokenReaders(config, platform));
  const api = held.use(
    await startApiServer({
      ports,
      host: API_HOST,
      port: config.apiPort,
      token: config.isKeysOnly ? '' : apiToken,
      isRequestLogOn: config.isRequestLogOn,
      tokenReaders: readers,
      openFilesMax: openFilesMax(),
    }),
  );
  const watched = held.use(watching(folder, client));
  held.use(await writeAddresses(paths.addresses, addressesOf(temporal, api)));
  const running = held.move();
  const failed = Promise.race([temporal.failed, worker.failed, watched.failed]);
  failed.catch(() => undefined);
  return {
    parts,
    policies,
    temporal,
    client,
    api,
    apiToken,
    failed,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Returns one page with the metrics of both processes. */
function withWorker(page: MetricsPage, worker: WorkerChild): MetricsPage {
  return { ...page, render: async () => page.render(await worker.metrics()) };
}

async function connectClient(
  { address, namespace }: StackTemporal,
  security: TemporalSecurity | null,
  tracing: Tracing,
): Promise<TemporalClient> {
  const { connectTemporal } = await import('#providers/temporal/client.ts');
  const client = await connectTemporal({ address, namespace, security, tracing });
  await client.ensureSchedule();
  return client;
}

function workerProgram(config: Config, { address, namespace }: StackTemporal) {
  return {
    module: MAIN,
    args: ['worker', '--data-dir', config.dataDir],
    env: {
      ...config.environment,
      ...(config.embedder === null ? {} : { VARVE_EMBEDDER: config.embedder }),
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: namespace,
    },
  };
}

interface Watching extends AsyncDisposable {
  /** Rejects when the folder can no longer be watched. */
  readonly failed: Promise<never>;
}

/** Watches the policy folder, and checks Temporal, until the stack ends. */
function watching(folder: WatchedFolder, client: TemporalClient): Watching {
  const controller = new AbortController();
  const { metrics, platform } = folder;
  // The caller that opened the client closes it.
  const connect = () => Promise.resolve(client);
  const temporal = createTemporalPart({ connect, metrics, log: platform.log });
  const watched = keepFolder({ ...folder, temporal }, controller.signal);
  const failed = watched.then(() => new Promise<never>(() => undefined));
  // The race on `failed` ends the stack in order; an unhandled rejection would end the process.
  failed.catch(() => undefined);
  return {
    failed,
    [Symbol.asyncDispose]: async () => {
      controller.abort();
      // Its failure ended the stack, so the other parts end as well.
      await watched.catch(() => undefined);
    },
  };
}

type WatchedFolder = ReconcileOptions & {
  readonly dir: string;
  readonly metrics: OperatorMetrics;
};

function addressesOf({ address, namespace, uiUrl }: StackTemporal, api: ApiServer) {
  return {
    pid: process.pid,
    apiUrl: api.url,
    temporalAddress: address,
    temporalNamespace: namespace,
    uiUrl,
  };
}

const RESTART_PAUSE_MS = 500;

/** Temporal for a stack: the server at a given address, or an embedded one that is kept alive. */
export interface StackTemporal extends AsyncDisposable {
  readonly address: string;
  readonly namespace: string;
  readonly uiUrl: string | null;
  /** True if the server knows nothing of earlier runs. */
  readonly isNew: boolean;
  /** Rejects when the embedded server cannot be kept alive. */
  readonly failed: Promise<never>;
}

/** @throws VarveError PROVIDER_ERROR that suggests solutions if no server is available. */
async function openTemporal(
  config: Config,
  { report, log, signal }: { report: Report; log: Log; signal: AbortSignal },
): Promise<StackTemporal> {
  if (config.temporalAddress !== null) return givenTemporal(config, config.temporalAddress);
  const [server, program, machine] = await Promise.all([
    import('#providers/temporal/server.ts'),
    import('#providers/temporal/server-program.ts'),
    import('#providers/temporal/server-platform.ts'),
  ]);
  const platform = machine.nodePlatform(config.environment);
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
  /** Waits before each restart. */
  readonly pause: () => Promise<void>;
}

/** Restarts a server that exits unasked, on the same ports, so that clients find it. */
export function keptAlive(first: TemporalServer, keeping: Keeping): StackTemporal {
  const { start, options, log, isNew, timer, pause } = keeping;
  const state = { server: first, stopping: false };
  const { grpc: port, ui: uiPort } = first.ports;
  /** Returns null if it did not start, e.g. since its port is not free yet. */
  const tryStart = async (quickDeaths: number): Promise<TemporalServer | null> => {
    try {
      return await start({ ...options, port, uiPort });
    } catch (error) {
      log.warn({ error, quickDeaths }, 'Temporal server did not start; trying again');
      return null;
    }
  };
  const keep = async (): Promise<never> => {
    let quickDeaths = 0;
    for (let running: TemporalServer | null = first; ;) {
      const startedAt = timer();
      const exit = running === null ? null : await running.exited;
      if (state.stopping) return new Promise<never>(() => undefined);
      quickDeaths = quickDeathsAfter(quickDeaths, timer() - startedAt);
      if (isCrashLoop(quickDeaths)) {
        throw new VarveError('PROVIDER_ERROR', 'Temporal keeps exiting; see its log.');
      }
      if (running !== null) {
        log.warn({ exit, quickDeaths }, 'Temporal server exited; restarting it');
        await running[Symbol.asyncDispose]();
      }
      await pause();
      running = await tryStart(quickDeaths);
      if (running === null) continue;
      state.server = running;
      // If this was stopped meanwhile, the stop ended only the previous server.
      if (state.stopping) await running[Symbol.asyncDispose]();
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

/** `varve api`: the API alone, for a cluster where workers and operator are separate programs. */
import { startApiServer, type ApiServer } from '#api/http-server.ts';
import { readPair, type TlsFiles } from '#api/tls-certificate.ts';
import { VarveError } from '#core/errors.ts';
import type { DreamRuns } from '#core/ports/dream-runs.ts';
import type { FlushRuns } from '#core/ports/flush-runs.ts';
import type { Log, Platform, Timers } from '#core/ports/platform.ts';
import type { RefreshHealth, RefreshTrigger } from '#core/ports/refresh-trigger.ts';
import type { SecretSource } from '#core/ports/secret-source.ts';
import type { Tracing } from '#core/ports/tracing.ts';
import { createLog } from '#providers/node/log.ts';
import { openFilesMax } from '#providers/node/open-files.ts';
import { createTimers } from '#providers/node/timers.ts';
import type { TemporalClient } from '#providers/temporal/client.ts';
import { apiPortsOf, withAuditAndCallLimits, openParts, type Parts } from '../composition-root.ts';
import type { Config } from '../config.ts';
import { printReady } from '../json-lines.ts';
import {
  startHealthChecks,
  type HealthChecks,
  modelsPart,
  storePart,
} from '../probes/health-checks.ts';
import { openMetricsPort } from '../probes/metrics-port.ts';
import { openSecrets } from '../model-providers/provider-key.ts';
import type { PartsSettings } from '../store-and-model-settings.ts';
import { aborted, endWithin, shutdownSignal } from '../shutdown.ts';
import { localToken, stackPaths } from '../installation-files.ts';
import { openTokenReaders, type TokenReaders } from '../access-token-settings.ts';
import { openPartTracing } from '../tracing-settings.ts';
import { isIPv4 } from 'node:net';

/** Longer than the time given to calls under way. */
const END_WITHIN_MS = 20_000;

/** @throws VarveError INVALID_INPUT if the address of a Temporal server is missing */
export async function apiCommand(config: Config): Promise<void> {
  const { temporalAddress: address, temporalNamespace: namespace, dataDir } = config;
  const { temporalSecurity: security } = config;
  if (address === null) {
    const message =
      'varve api needs TEMPORAL_ADDRESS, the Temporal server of its workers. Set it to ' +
      'HOST:PORT, or run varve start, which brings a server and a worker.';
    throw new VarveError('INVALID_INPUT', message);
  }
  const { isReadable } = checkExposure({
    host: config.host,
    isAuthenticationSet:
      config.isKeysOnly ||
      [config.apiToken, config.jwt, config.serviceAccounts].some((each) => each !== null),
    hasTls: config.tls !== null,
    isTrusted: config.isTrustedNetwork,
  });
  const signal = shutdownSignal();
  endWithin(signal, END_WITHIN_MS);
  const log = createLog({ level: config.logLevel, destination: process.stdout });
  if (isReadable) {
    log.warn({ host: config.host }, 'tokens and memories cross the network unencrypted');
  }
  await using tracing = await openPartTracing(config.environment, { part: 'varve-api', log });
  await using embeddingSecrets = openSecrets(config);
  const { connectTemporal } = await import('#providers/temporal/client.ts');
  await using api = await runApi({
    dataDir,
    settings: config.settings,
    embeddingSecrets,
    host: config.host,
    port: config.apiPort,
    tls: config.tls,
    isRequestLogOn: config.isRequestLogOn,
    openTokenReaders: (platform) => openTokenReaders(config, platform),
    token: await tokenOf(config),
    metricsPort: config.metricsPort,
    connect: () => connectTemporal({ address, namespace, security, tracing }),
    timers: createTimers(),
    log,
    tracing,
  });
  printReady({ url: api.url });
  await aborted(signal);
}

/** The installation's token; empty, which no caller can send, if callers need a key. */
async function tokenOf({ isKeysOnly, apiToken, dataDir }: Config): Promise<string> {
  return isKeysOnly ? '' : (apiToken ?? (await localToken(stackPaths(dataDir).token)));
}

/** Shorter than a pod's grace period, longer than a call may take. */
const FINISH_WITHIN_MS = 10_000;

interface RunApiOptions {
  /** For the SQLite file, if no database is set. */
  readonly dataDir: string;
  readonly settings: PartsSettings;
  /** Source of the key of a declared embedding model; other models are called by workers. */
  readonly embeddingSecrets: SecretSource;
  readonly host: string;
  /** 0 for a free port; null for the default one. */
  readonly port: number | null;
  /** Null for plain HTTP. */
  readonly tls: TlsFiles | null;
  readonly token: string;
  readonly openTokenReaders: (platform: Platform) => Promise<TokenReaders>;
  readonly isRequestLogOn: boolean;
  /** The port of a separate page of metrics, besides the one on the API's port; null for none. */
  readonly metricsPort: number | null;
  readonly connect: () => Promise<TemporalClient>;
  readonly timers: Timers;
  readonly log: Log;
  readonly tracing: Tracing;
}

/** @throws VarveError INVALID_INPUT if a port is taken; errors of opening the store */
async function runApi(options: RunApiOptions): Promise<ApiServer> {
  const { dataDir, settings, log, tracing, timers, connect, host, port, tls, token } = options;
  // Report a bad certificate before anything is opened.
  if (tls !== null) await readPair(tls);
  await using held = new AsyncDisposableStack();
  const parts = held.use(
    await openParts({
      dataDir,
      log,
      tracing,
      settings: withAuditAndCallLimits(settings),
      embeddingSecrets: options.embeddingSecrets,
    }),
  );
  const temporal = held.use(linkTemporal({ connect, timers, log }));
  const health = held.use(await healthOf(parts, temporal, timers));
  // The separate page may be open; the page on the callers' port never is.
  const ports = { ...apiPortsOf(parts, temporal.runs, temporal.health), isMetricsOpen: false };
  held.use(await openMetricsPort(parts.metricsPage, { ...options, apiToken: token }, log));
  const { readers } = held.use(await options.openTokenReaders(parts.platform));
  const server = held.use(
    await startApiServer({
      ports,
      host,
      port,
      token,
      tokenReaders: readers,
      isRequestLogOn: options.isRequestLogOn,
      ...(tls === null ? {} : { tls }),
      probes: health,
      finishWithinMs: FINISH_WITHIN_MS,
      openFilesMax: openFilesMax(),
    }),
  );
  const running = held.move();
  return {
    url: server.url,
    [Symbol.asyncDispose]: async () => {
      health.leave();
      await running.disposeAsync();
    },
  };
}

function healthOf(parts: Parts, temporal: TemporalLink, timers: Timers): Promise<HealthChecks> {
  const { store, platform } = parts;
  return startHealthChecks({
    timers,
    parts: [
      storePart(store),
      { part: 'Temporal', need: 'Once', ask: () => temporal.ask() },
      modelsPart(store, platform.clock),
    ],
  });
}

/** Pause between the attempts of a replica; an open connection is kept alive automatically. */
const RETRY_EVERY_MS = 5_000;

/**
 * Temporal as the API uses it: to request refreshes and to run dreams. The API reads and writes
 * without it, since the store keeps what is pending. So an API that starts while the server is
 * unavailable retries the connection.
 */
interface TemporalLink extends AsyncDisposable {
  /** Requests made by writes, and dreams that callers ask for. */
  readonly runs: RefreshTrigger & { readonly dreams: DreamRuns; readonly flushes: FlushRuns };
  readonly health: () => Promise<RefreshHealth>;
  /** Throws if the server does not answer. @throws VarveError PROVIDER_ERROR */
  ask(): Promise<void>;
}

export interface TemporalLinkOptions {
  readonly connect: () => Promise<TemporalClient>;
  readonly timers: Timers;
  readonly log: Log;
}

/** Returns at once and connects in the background; `ask` tells whether it is connected. */
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
    throw new VarveError(
      'PROVIDER_ERROR',
      'Temporal has not answered yet; check TEMPORAL_ADDRESS.',
    );
  };
  return {
    runs: {
      notify: async (tenant, message) => reached().notify(tenant, message),
      continueReembed: async (generations) => reached().continueReembed?.(generations),
      dreams: {
        start: async (input) => reached().dreams.start(input),
        apply: async (input) => reached().dreams.apply(input),
      },
      flushes: { start: async (input) => reached().flushes.start(input) },
      erasures: {
        start: async (input) => reached().erasures.start(input),
        settled: async (input) => reached().erasures.settled(input),
      },
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

export interface Exposure {
  readonly host: string;
  /** Whether callers are authenticated: by a configured token, or by tokens of an issuer. */
  readonly isAuthenticationSet: boolean;
  readonly hasTls: boolean;
  /** Whether the operator guarantees that nothing else can reach or read the network. */
  readonly isTrusted: boolean;
}

/**
 * Returns whether others can read what callers send.
 * @throws VarveError INVALID_INPUT if other machines could reach an unsecured API
 */
export function checkExposure({ host, isAuthenticationSet, hasTls, isTrusted }: Exposure): {
  readonly isReadable: boolean;
} {
  if (isLoopback(host) || isTrusted) return { isReadable: false };
  if (isAuthenticationSet) return { isReadable: !hasTls };
  const message =
    `${host} accepts calls from other machines, but no authentication is set. ` +
    'Set VARVE_API_TOKEN or VARVE_JWT_ISSUER, or listen at 127.0.0.1. ' +
    'On a network where everybody is trusted, pass --trusted-network (VARVE_TRUSTED_NETWORK=true).';
  throw new VarveError('INVALID_INPUT', message, { details: { host } });
}

/** Names other than `localhost` count as remote, since what they resolve to may change. */
function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1' || host === '[::1]') return true;
  return isIPv4(host) && host.startsWith('127.');
}

/**
 * The API alone: no Temporal, no worker, no policy folder of its own. Several may run over one
 * store behind one address.
 *
 * Flow: open the store → look for Temporal → health rounds → listen. It ends the other way round:
 * `/readyz` refuses first, then calls under way are finished, then the store is closed.
 */
import { startMetricsServer } from '#api/scrape.ts';
import { startApiServer, type ApiServer } from '#api/server.ts';
import { readPair, type TlsFiles } from '#api/tls.ts';
import type { Log, Platform } from '#core/ports/platform.ts';
import type { TemporalClient } from '#providers/temporal/client.ts';
import { openFilesMax } from '#providers/node/open-files.ts';
import { apiPortsOf, audited, openParts, type Parts } from '../compose.ts';
import { startHealthRounds, type HealthRounds, type Timers } from '../probes/health-rounds.ts';
import { storePart } from '../probes/store-part.ts';
import type { PartsSettings } from '../settings.ts';
import type { TokenReaders } from '../token-readers.ts';
import { linkTemporal, type TemporalLink } from './temporal-link.ts';

/** Below the time that a pod is given to end, above the time that a call may take. */
const FINISH_WITHIN_MS = 10_000;

export interface RunApiOptions {
  /** For the SQLite file, where no database is set. */
  readonly dataDir: string;
  readonly settings: PartsSettings;
  readonly host: string;
  /** 0 for a free port; null for the default one. */
  readonly port: number | null;
  /** Null for plain HTTP. */
  readonly tls: TlsFiles | null;
  readonly token: string;
  readonly openTokenReaders: (platform: Platform) => Promise<TokenReaders>;
  readonly isRequestLogOn: boolean;
  /** A page of metrics of its own, beside the one of the API's port; null for none. */
  readonly metricsPort: number | null;
  readonly connect: () => Promise<TemporalClient>;
  readonly timers: Timers;
  readonly log: Log;
}

/** @throws VarveError INVALID_INPUT where a port is taken, and what opening the store throws */
export async function runApi(options: RunApiOptions): Promise<ApiServer> {
  const { dataDir, settings, log, timers, connect, host, port, tls, token } = options;
  // What is wrong with it is said before anything is opened.
  if (tls !== null) await readPair(tls);
  await using held = new AsyncDisposableStack();
  const parts = held.use(await openParts({ dataDir, log, settings: audited(settings) }));
  const temporal = held.use(linkTemporal({ connect, timers, log }));
  const health = held.use(await healthOf(parts, temporal, timers));
  // The page beside it may be open; the one on the port of callers never is.
  const ports = { ...apiPortsOf(parts, temporal.runs, temporal.health), isMetricsOpen: false };
  if (options.metricsPort !== null) held.use(await metricsBeside(parts, options));
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

function healthOf({ store }: Parts, temporal: TemporalLink, timers: Timers): Promise<HealthRounds> {
  return startHealthRounds({
    timers,
    parts: [storePart(store), { part: 'Temporal', need: 'Once', ask: () => temporal.ask() }],
  });
}

function metricsBeside(
  { metricsPage: page, isMetricsOpen: isOpen }: Parts,
  { host, metricsPort, token, log }: RunApiOptions,
): Promise<AsyncDisposable> {
  return startMetricsServer({ page, isOpen, token, log, host, port: metricsPort ?? 0 });
}

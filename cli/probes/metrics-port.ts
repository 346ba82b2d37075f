/** The metrics page of a separate part, on a port of its own. */
import { randomUUID } from 'node:crypto';
import { startMetricsServer } from '#api/metrics-endpoint.ts';
import type { MetricsPage } from '#core/ports/metrics.ts';
import type { Log } from '#core/ports/platform.ts';
import type { Config } from '../config.ts';
import { localToken, stackPaths } from '../installation-files.ts';

type MetricsPort = Pick<Config, 'host' | 'metricsPort' | 'apiToken' | 'dataDir' | 'settings'>;

/**
 * Serves a page, which names no tenant; null if no port is set.
 * @param ownToken called if none is configured; by default, the token of the data folder
 */
export async function openMetricsPort(
  page: MetricsPage,
  { host, metricsPort: port, apiToken, dataDir, settings }: MetricsPort,
  log: Log,
  ownToken = () => localToken(stackPaths(dataDir).token),
): Promise<(AsyncDisposable & { readonly url: string }) | null> {
  if (port === null) return null;
  const isOpen = settings.metricsOpen ?? false;
  // An open page is read without a token, and a token file would need a folder of its own.
  const token = apiToken ?? (isOpen ? randomUUID() : await ownToken());
  return startMetricsServer({ page, isOpen, token, log, host, port });
}

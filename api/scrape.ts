/** The page of metrics over HTTP: on the API's port, or on a port of a process without an API. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { MetricsPage } from '#core/ports/metrics.ts';
import type { Log } from '#core/ports/platform.ts';
import { hasToken, listen } from './listener.ts';

const METRICS_PATH = '/metrics';

export interface ScrapeOptions {
  /** Null where nothing is measured. */
  readonly page: MetricsPage | null;
  /** Whether it may be read without the token. */
  readonly isOpen: boolean;
  readonly token: string;
  readonly log: Log;
}

export function isScrape({ method, url }: IncomingMessage): boolean {
  return method === 'GET' && url?.split('?', 1)[0] === METRICS_PATH;
}

/** The page names no tenant, but tells how much is stored and what fails. */
export async function answerScrape(
  request: IncomingMessage,
  response: ServerResponse,
  { page, isOpen, token, log }: ScrapeOptions,
): Promise<void> {
  if (page === null) return end(response, 404, 'Nothing is measured here.\n');
  if (!isOpen && !hasToken(request, token)) {
    return end(response, 401, 'Send the token of this installation as a bearer token.\n');
  }
  try {
    const text = await page.render();
    response.setHeader('content-type', page.contentType);
    return end(response, 200, text);
  } catch (error) {
    log.error({ error }, 'metrics could not be read');
    return end(response, 500, 'The metrics could not be read; the log says why.\n');
  }
}

/**
 * A server with this page alone.
 * @throws VarveError INVALID_INPUT where the port is taken
 */
export async function startMetricsServer(
  options: ScrapeOptions & { readonly host: string; readonly port: number },
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    if (isScrape(request)) void answerScrape(request, response, options);
    else end(response, 404, 'There is only /metrics here.\n');
  });
  const setting = 'VARVE_METRICS_PORT';
  const port = await listen(server, { ...options, what: 'metrics', setting });
  return {
    url: `http://${options.host}:${String(port)}${METRICS_PATH}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function end(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status;
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'text/plain');
  response.end(text);
}

/** Serves the metrics page: on the API's port, or on one of its own in another process. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { VarveError } from '#core/errors.ts';
import { ERRORS } from '#core/error-codes.ts';
import type { MetricsPage } from '#core/ports/metrics.ts';
import type { Log } from '#core/ports/platform.ts';
import { hasToken, listening } from './http-port.ts';
import { PROBLEM_TYPE, problemDocument } from './rest/problem-json.ts';

const METRICS_PATH = '/metrics';

export interface ScrapeOptions {
  /** Null if nothing is measured. */
  readonly page: MetricsPage | null;
  /** Whether it may be read without the token. */
  readonly isOpen: boolean;
  readonly token: string;
  readonly log: Log;
}

export function isScrape({ method, url }: IncomingMessage): boolean {
  return method === 'GET' && url?.split('?', 1)[0] === METRICS_PATH;
}

/** Needs the token unless open: the page shows how much is stored and what fails. */
export async function answerScrape(
  request: IncomingMessage,
  response: ServerResponse,
  { page, isOpen, token, log }: ScrapeOptions,
): Promise<void> {
  if (page === null) {
    return refuse(response, new VarveError('NOT_FOUND', 'This process has no metrics.'));
  }
  if (!isOpen && !hasToken(request, token)) {
    const message = 'Send the token of this installation as a bearer token.';
    return refuse(response, new VarveError('UNAUTHENTICATED', message));
  }
  try {
    const text = await page.render();
    response.setHeader('content-type', page.contentType);
    return end(response, 200, text);
  } catch (error) {
    log.error({ error }, 'metrics could not be read');
    const message = 'The metrics could not be read; the log says why.';
    return refuse(response, new VarveError('CORRUPT', message));
  }
}

/** Serves this page alone. @throws VarveError INVALID_INPUT if the port is taken */
export async function startMetricsServer(
  options: ScrapeOptions & { readonly host: string; readonly port: number },
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    if (isScrape(request)) {
      answerScrape(request, response, options).catch(() => response.destroy());
    } else refuse(response, new VarveError('NOT_FOUND', 'Only /metrics is served here.'));
  });
  const setting = 'VARVE_METRICS_PORT';
  const held = await listening(server, { ...options, what: 'metrics', setting });
  return { ...held, url: `${held.url}${METRICS_PATH}` };
}

function refuse(response: ServerResponse, failure: VarveError): void {
  response.setHeader('content-type', PROBLEM_TYPE);
  end(response, ERRORS[failure.code].httpStatus, problemDocument(failure));
}

function end(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status;
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'text/plain');
  response.end(text);
}

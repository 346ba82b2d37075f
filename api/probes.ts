/** Pages for whoever watches a process: is it alive, and may calls be sent to it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from './listener.ts';

/** What is wrong and how to mend it; empty where nothing is. They name no tenant. */
export interface ProbeAnswer {
  readonly ok: boolean;
  readonly findings: readonly string[];
}

/** Answered at once out of what is known, so that an answer itself proves that the loop turns. */
export interface ProbeSource {
  /** Not ok where only a new process helps. */
  healthz(): ProbeAnswer;
  /** Not ok while calls should go elsewhere. */
  readyz(): ProbeAnswer;
}

const PATHS: Readonly<Record<string, keyof ProbeSource>> = {
  '/healthz': 'healthz',
  '/readyz': 'readyz',
};

/** Which page is asked for; null where it is none of these. */
export function probeOf({ method, url }: IncomingMessage): keyof ProbeSource | null {
  return method === 'GET' ? (PATHS[url?.split('?', 1)[0] ?? ''] ?? null) : null;
}

/** Answers 200 or 503, with a line for each finding. */
export function answerProbe(
  response: ServerResponse,
  source: ProbeSource,
  page: keyof ProbeSource,
): void {
  const { ok, findings } = source[page]();
  response.statusCode = ok ? 200 : 503;
  response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.setHeader('cache-control', 'no-store');
  response.end([ok ? 'ok' : 'not ok', ...findings, ''].join('\n'));
}

/**
 * A server with these pages alone, for a process without an API.
 * @throws VarveError INVALID_INPUT where the port is taken
 */
export async function startProbeServer(options: {
  readonly host: string;
  /** 0 for a free port. */
  readonly port: number;
  readonly source: ProbeSource;
}): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    const page = probeOf(request);
    if (page !== null) return answerProbe(response, options.source, page);
    response.statusCode = 404;
    return response.end('There are only /healthz and /readyz here.\n');
  });
  const setting = 'VARVE_PROBE_PORT';
  const port = await listen(server, { ...options, what: 'probe', setting });
  return {
    url: `http://${options.host}:${String(port)}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

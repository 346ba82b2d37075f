/** What all HTTP ports share: who may read them, and the error for a port that is taken. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server as HttpServer } from 'node:http';
import type { Server } from 'node:net';
import { VarveError } from '#core/errors.ts';

interface ListenPlace {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** What the port is for, and the setting that selects another. */
  readonly what: string;
  readonly setting: string;
}

/** Maximum connections of a port at a time; further ones are closed at once. */
const CONNECTIONS_MAX = 1_024;
/** Files and sockets reserved for the process itself: store, logs, policies, Temporal. */
const OWN_FILES = 256;

/**
 * Returns how many connections leave room for the process's own files. @param openFilesMax null if
 * unknown
 */
export function connectionsMax(openFilesMax: number | null): number {
  if (openFilesMax === null) return CONNECTIONS_MAX;
  const left = Math.max(openFilesMax - OWN_FILES, Math.floor(openFilesMax / 4), 1);
  return Math.min(CONNECTIONS_MAX, left);
}

/** Disposing ends open connections. @throws VarveError INVALID_INPUT if the port is taken */
export async function listening(
  server: HttpServer,
  place: ListenPlace,
): Promise<AsyncDisposable & { readonly url: string }> {
  const port = await listen(server, place);
  return {
    url: `http://${place.host}:${String(port)}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Resolves with the port. @throws VarveError INVALID_INPUT if it is taken */
export async function listen(
  server: Server,
  { host, port, what, setting }: ListenPlace,
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      const message = `The ${what} port ${String(port)} is not free; set another with ${setting}.`;
      reject(new VarveError('INVALID_INPUT', message, { details: { port }, cause }));
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

/**
 * Whether a request carries the token. Digests have equal length, so the comparison takes the same
 * time for every wrong token. An empty token is never valid.
 */
export function hasToken({ headers }: Pick<IncomingMessage, 'headers'>, token: string): boolean {
  const given = bearerOf({ headers });
  return given !== null && token !== '' && isSameSecret(given, token);
}

/** Returns the bearer token that a caller sends; null if it sends none. */
export function bearerOf({ headers }: Pick<IncomingMessage, 'headers'>): string | null {
  // The case of the scheme does not matter (RFC 9110).
  return /^Bearer +(\S+)$/iu.exec(headers.authorization ?? '')?.[1] ?? null;
}

/** Compares two secrets; takes the same time for every wrong one. */
export function isSameSecret(given: string, known: string): boolean {
  return timingSafeEqual(digest(given), digest(known));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

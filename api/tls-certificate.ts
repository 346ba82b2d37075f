/**
 * A certificate and its key out of files that another program renews. Both are reread at an
 * interval rather than watched: a mounted Secret changes by a link two folders above them.
 */
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:https';
import { createSecureContext } from 'node:tls';
import { VarveError } from '#core/errors.ts';
import type { Log } from '#core/ports/platform.ts';

export interface TlsFiles {
  /** PEM: the certificate, and those between it and its authority behind it. */
  readonly certFile: string;
  readonly keyFile: string;
}

export interface TlsPair {
  readonly cert: string;
  readonly key: string;
}

/** Certificates are renewed days before they end. */
const LOOK_EVERY_MS = 10_000;

/** @throws VarveError INVALID_INPUT where the files hold no pair */
export async function readPair(files: TlsFiles): Promise<TlsPair> {
  try {
    return checked(await readFiles(files));
  } catch (cause) {
    const { certFile, keyFile } = files;
    const message =
      `${certFile} and ${keyFile} are no certificate with its key (${codeOf(cause)}). ` +
      'VARVE_TLS_CERT and VARVE_TLS_KEY name PEM files that belong together.';
    throw new VarveError('INVALID_INPUT', message, { cause });
  }
}

export interface KeepPairOptions {
  readonly files: TlsFiles;
  /** That the server has already. */
  readonly first: TlsPair;
  readonly log: Log;
  readonly lookEveryMs?: number | undefined;
}

/**
 * Gives a server each new pair; connections that are there keep theirs. Where what is new is no
 * pair, the last one stays and the log says so, once.
 */
export function keepPair(server: Server, options: KeepPairOptions): Disposable {
  const { files, first, log, lookEveryMs = LOOK_EVERY_MS } = options;
  let last = textOf(first);
  const look = async (): Promise<void> => {
    const read = await readFiles(files).catch((error: unknown) => codeOf(error));
    const text = textOf(read);
    if (text === last) return;
    last = text;
    try {
      if (typeof read === 'string') throw new VarveError('INVALID_INPUT', read);
      server.setSecureContext(checked(read));
      log.info({}, 'new certificate taken');
    } catch (error) {
      const code = typeof read === 'string' ? read : codeOf(error);
      log.warn({ error: code }, 'new certificate cannot be used; the one before stays');
    }
  };
  let looking = false;
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    look()
      .catch((error: unknown) => {
        log.warn({ error: codeOf(error) }, 'failed to look at the certificate; will retry');
      })
      .finally(() => {
        looking = false;
      });
  }, lookEveryMs);
  timer.unref();
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer);
    },
  };
}

async function readFiles({ certFile, keyFile }: TlsFiles): Promise<TlsPair> {
  const [cert, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')]);
  return { cert, key };
}

/** @throws where they are no certificate and no key, or do not belong together */
function checked(pair: TlsPair): TlsPair {
  createSecureContext(pair);
  return pair;
}

function textOf(read: TlsPair | string): string {
  return typeof read === 'string' ? read : `${read.cert}\n${read.key}`;
}

/** Codes of Node and OpenSSL alone: their words may hold what was read. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
}

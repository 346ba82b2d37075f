/**
 * Reads a certificate and its key from files that another program renews. Rereads both at an
 * interval instead of watching them: a mounted Secret changes through a link two folders above.
 */
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:https';
import { createSecureContext } from 'node:tls';
import { VarveError } from '#core/errors.ts';
import type { Log } from '#core/ports/platform.ts';

export interface TlsFiles {
  /** PEM: the certificate, followed by intermediate certificates. */
  readonly certFile: string;
  readonly keyFile: string;
}

interface TlsPair {
  readonly cert: string;
  readonly key: string;
}

/** Certificates are renewed days before they expire. */
const CHECK_EVERY_MS = 10_000;

/** @throws VarveError INVALID_INPUT if the files hold no certificate with its key */
export async function readPair(files: TlsFiles): Promise<TlsPair> {
  try {
    return checked(await readFiles(files));
  } catch (cause) {
    const { certFile, keyFile } = files;
    const message =
      `${certFile} and ${keyFile} are not a certificate and its key (${codeOf(cause)}). ` +
      'VARVE_TLS_CERT and VARVE_TLS_KEY name PEM files that belong together.';
    throw new VarveError('INVALID_INPUT', message, { cause });
  }
}

interface KeepPairOptions {
  readonly files: TlsFiles;
  /** The pair that the server already has. */
  readonly first: TlsPair;
  readonly log: Log;
  readonly checkEveryMs?: number | undefined;
}

/**
 * Gives a server each new pair; open connections keep the old one. If the new files are no valid
 * pair, the last one stays and the log says so once.
 */
export function keepPair(server: Server, options: KeepPairOptions): Disposable {
  const { files, first, log, checkEveryMs = CHECK_EVERY_MS } = options;
  let last = textOf(first);
  const check = async (): Promise<void> => {
    const read = await readFiles(files).catch((error: unknown) => codeOf(error));
    const text = textOf(read);
    if (text === last) return;
    last = text;
    try {
      if (typeof read === 'string') throw new VarveError('INVALID_INPUT', read);
      server.setSecureContext(checked(read));
      log.info({}, 'certificate reloaded');
    } catch (error) {
      const code = typeof read === 'string' ? read : codeOf(error);
      log.warn({ error: code }, 'new certificate cannot be used; the previous one stays in use');
    }
  };
  let isChecking = false;
  const timer = setInterval(() => {
    if (isChecking) return;
    isChecking = true;
    check()
      .catch((error: unknown) => {
        log.warn({ error: codeOf(error) }, 'failed to check the certificate; will retry');
      })
      .finally(() => {
        isChecking = false;
      });
  }, checkEveryMs);
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

/** @throws if they are no certificate and key, or do not belong together */
function checked(pair: TlsPair): TlsPair {
  createSecureContext(pair);
  return pair;
}

function textOf(read: TlsPair | string): string {
  return typeof read === 'string' ? read : `${read.cert}\n${read.key}`;
}

/** Returns only codes of Node and OpenSSL: messages may contain what was read. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
}

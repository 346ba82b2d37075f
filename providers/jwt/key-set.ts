/**
 * The keys of an issuer, kept between tokens.
 *
 * Guarantees: one read at a time, and at most one every COOLDOWN_MS, whatever tokens come; keys are
 * read again every FRESH_MS and for a token whose key is unknown; while they cannot be read, the
 * known keys stay valid for KEPT_MS_MAX.
 */
import { VarveError } from '#core/errors.ts';
import type { Clock, Log } from '#core/ports/platform.ts';
import { createLocalJWKSet, errors, type JWTVerifyGetKey, type LocalJWKSet } from 'jose';
import { readFile, stat } from 'node:fs/promises';

/** A key that the issuer withdrew is refused after this time at the latest. */
const FRESH_MS = 10 * 60_000;
const COOLDOWN_MS = 30_000;
/** An issuer that is unreachable for a day may have revoked any of its keys. */
const KEPT_MS_MAX = 24 * 60 * 60_000;

interface KeySetOptions {
  readonly read: () => Promise<unknown>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Returns a function that finds the key of a token.
 * @throws an error of jose if there is none, VarveError PROVIDER_ERROR
 */
export function createKeySet({ read, clock, log }: KeySetOptions): JWTVerifyGetKey {
  let kept: { keys: LocalJWKSet; readAt: number } | null = null;
  let triedAt = Number.NEGATIVE_INFINITY;
  let pending: Promise<void> | null = null;

  const refetch = async (): Promise<void> => {
    triedAt = clock();
    try {
      kept = { keys: createLocalJWKSet((await read()) as never), readAt: clock() };
    } catch (error) {
      const isKept = kept !== null;
      log.warn({ error, isKept }, 'keys of the issuer cannot be read');
    }
  };
  /** Joins a read that is under way, and skips one that comes too early. */
  const refresh = async (): Promise<void> => {
    if (pending === null && clock() - triedAt < COOLDOWN_MS) return;
    pending ??= refetch().finally(() => {
      pending = null;
    });
    await pending;
  };
  const known = (): LocalJWKSet => {
    if (kept !== null && clock() - kept.readAt < KEPT_MS_MAX) return kept.keys;
    const message = 'The keys of the issuer of this token cannot be read now; try again.';
    const retryAfterMs = Math.max(1, triedAt + COOLDOWN_MS - clock());
    throw new VarveError('PROVIDER_ERROR', message, { details: { retryAfterMs } });
  };
  return async (header, token) => {
    if (kept === null || clock() - kept.readAt >= FRESH_MS) await refresh();
    try {
      return await known()(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await refresh();
      return known()(header, token);
    }
  };
}

const FETCH_TIMEOUT_MS = 5_000;
const BYTES_MAX = 1024 * 1024;

/**
 * Reads a key set.
 * @param place an address with https:// or http://, or the path of a file
 * @throws VarveError PROVIDER_ERROR
 */
export async function readKeySet(place: string): Promise<unknown> {
  try {
    const text = /^https?:/u.test(place) ? await fetched(place) : await read(place);
    return JSON.parse(text) as unknown;
  } catch (cause) {
    if (cause instanceof VarveError) throw cause;
    throw unreadable('it does not answer in time, or with JSON', cause);
  }
}

async function fetched(address: string): Promise<string> {
  const signal = AbortSignal.timeout(FETCH_TIMEOUT_MS);
  const headers = { accept: 'application/json, application/jwk-set+json' };
  // Refuse redirects: their target is not what was configured.
  const response = await fetch(address, { signal, headers, redirect: 'error' });
  if (!response.ok) throw unreadable(`it answers ${String(response.status)}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > BYTES_MAX) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function read(file: string): Promise<string> {
  if ((await stat(file)).size > BYTES_MAX) throw tooLarge();
  return readFile(file, 'utf8');
}

function tooLarge(): VarveError {
  return unreadable(`it is above ${String(BYTES_MAX)} bytes`);
}

function unreadable(what: string, cause?: unknown): VarveError {
  const message = `The keys of the issuer (VARVE_JWT_JWKS) cannot be read: ${what}.`;
  return new VarveError('PROVIDER_ERROR', message, { cause });
}

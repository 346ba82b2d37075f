/**
 * The keys of an issuer, kept between tokens.
 *
 * Guarantees: one read at a time, and at most one every COOLDOWN_MS, whatever tokens come; keys are
 * read again every FRESH_MS and for a token whose key is unknown; while they can't be read, those
 * that are known hold for KEPT_MS_MAX.
 */
import { createLocalJWKSet, errors, type JWTVerifyGetKey, type LocalJWKSet } from 'jose';
import { VarveError } from '#core/errors.ts';
import type { Clock, Log } from '#core/ports/platform.ts';

/** A key that the issuer took back is refused after so long. */
const FRESH_MS = 10 * 60_000;
const COOLDOWN_MS = 30_000;
/** An issuer that is away for a day has told nobody which of its keys still hold. */
const KEPT_MS_MAX = 24 * 60 * 60_000;

export interface KeySetOptions {
  readonly read: () => Promise<unknown>;
  readonly clock: Clock;
  readonly log: Log;
}

interface Kept {
  readonly keys: LocalJWKSet;
  readonly readAt: number;
}

/** Answers the key of a token. @throws of jose where there is none, VarveError PROVIDER_ERROR */
export function createKeySet({ read, clock, log }: KeySetOptions): JWTVerifyGetKey {
  let kept: Kept | null = null;
  let triedAt = Number.NEGATIVE_INFINITY;
  let pending: Promise<void> | null = null;

  const readAnew = async (): Promise<void> => {
    triedAt = clock();
    try {
      kept = { keys: createLocalJWKSet((await read()) as never), readAt: clock() };
    } catch (error) {
      const isKept = kept !== null;
      log.warn({ error, isKept }, 'keys of the issuer cannot be read');
    }
  };
  /** Waits for a read that is under way too, and leaves out one that comes too early. */
  const refresh = async (): Promise<void> => {
    if (pending === null && clock() - triedAt < COOLDOWN_MS) return;
    pending ??= readAnew().finally(() => {
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

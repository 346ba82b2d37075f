/** Time, ids, hashes and the log: what the domain takes as arguments (design 6.30). */
import type { Digest } from '../hash.ts';
import type { Tracing } from './tracing.ts';

/** Milliseconds since the epoch. */
export type Clock = () => number;

/** Makes an id, a UUIDv7, which sorts by time. */
export type NewId = () => string;

/** Structured log. Fields hold ids, counts and codes; never memory text and never a secret. */
export interface Log {
  debug(fields: Readonly<Record<string, unknown>>, message: string): void;
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

export interface Platform {
  readonly clock: Clock;
  readonly newId: NewId;
  readonly digest: Digest;
  readonly log: Log;
  readonly tracing: Tracing;
}

export const SILENT_LOG: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** Passing time and randomness, as arguments (design 6.30). */
export interface Timers {
  /** Monotonic milliseconds, with fractions, from an arbitrary origin. */
  readonly timer: () => number;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  /** Resolves after that many milliseconds; rejects with CANCELLED once the signal is aborted. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

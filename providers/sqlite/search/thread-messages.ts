/** Messages between the main thread and a search worker. */
import { VarveError, type ErrorDetails } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';
import type { ListQuery } from '#core/ports/memory-records.ts';
import type { Scope } from '#core/scope.ts';
import type { IndexHit } from '#core/search/scope-index.ts';
import type { ScopeHits, ScopeQuery } from '#core/search/scope-search.ts';
import type { ListedIds } from './memory-list.ts';

/** Start options of a worker. */
export interface WorkerStart {
  readonly file: string;
  /** Limit for all indexes that this worker holds. */
  readonly indexBytesMax: number;
  readonly busyTimeoutMs: number;
  /** Maximum size of the file; unlimited if absent. */
  readonly fileBytesMax?: number | undefined;
  /** Minimum entries of an index that is saved in the file. */
  readonly keptEntriesMin: number;
  /** How long after a search unsaved indexes are saved. */
  readonly keepAfterMs: number;
  /** Raised when the thread must end. */
  readonly closing: ClosingFlag;
}

/** Hits as ids only: the receiver reads texts and vectors, which are never copied across. */
export interface FoundIds extends Omit<ScopeHits, 'candidates'> {
  readonly hits: readonly IndexHit[];
}

export type WorkerCall =
  | { readonly kind: 'Search'; readonly scope: Scope; readonly query: ScopeQuery }
  | { readonly kind: 'List'; readonly tenant: string; readonly query: ListQuery };

export type CallOf<K extends WorkerCall['kind']> = Extract<WorkerCall, { kind: K }>;

export interface WorkerAnswers {
  readonly Search: FoundIds;
  readonly List: ListedIds;
}

export interface CallMessage {
  readonly kind: 'Call';
  readonly number: number;
  readonly call: WorkerCall;
}

/** Wakes a waiting thread that must end. */
export const CLOSE = { kind: 'Close' } as const;

export type ThreadMessage = CallMessage | typeof CLOSE;

export type AnswerMessage = {
  readonly number: number;
  /** How long the thread worked on the call. */
  readonly ms: number;
} & ({ readonly answer: unknown } | { readonly failure: Failure });

/** An error as it crosses threads: a VarveError in parts, since a copy loses its class. */
type Failure =
  | {
      readonly kind: 'Reported';
      readonly code: ErrorCode;
      readonly message: string;
      readonly details: ErrorDetails;
      readonly cause: unknown;
    }
  | { readonly kind: 'Unexpected'; readonly error: unknown };

export function failureOf(error: unknown): Failure {
  if (!(error instanceof VarveError)) return { kind: 'Unexpected', error };
  const { code, message, details, cause } = error;
  return { kind: 'Reported', code, message, details, cause };
}

export function errorOf(failure: Failure): unknown {
  if (failure.kind === 'Unexpected') return failure.error;
  const { code, message, details, cause } = failure;
  return new VarveError(code, message, { details, cause });
}

/**
 * Tells a thread to end, even while it is busy and reads no messages: one number in memory shared
 * by both threads. It is raised once and never lowered.
 */
export type ClosingFlag = Int32Array<SharedArrayBuffer>;

export function createClosingFlag(): ClosingFlag {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

export function raiseClosing(flag: ClosingFlag): void {
  Atomics.store(flag, 0, 1);
}

/** Whether the flag is raised. It is one memory load, cheap enough for every turn of a loop. */
export function isClosing(flag: ClosingFlag): boolean {
  return Atomics.load(flag, 0) !== 0;
}

/**
 * Throws if the thread must end.
 * @throws VarveError CANCELLED
 */
export function stopIfClosing(flag: ClosingFlag): void {
  if (isClosing(flag)) throw storeClosed();
}

/** Returns the error of a call that was under way. */
export function storeClosed(): VarveError {
  return new VarveError('CANCELLED', 'The store was closed while it was in use.');
}

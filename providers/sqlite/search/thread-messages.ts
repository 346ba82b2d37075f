/** What the main thread and a search worker say to each other. */
import { VarveError, type ErrorDetails } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';
import type { ListQuery } from '#core/ports/memory-records.ts';
import type { Scope } from '#core/scope.ts';
import type { IndexHit } from '#core/search/scope-index.ts';
import type { ScopeHits, ScopeQuery } from '#core/search/scope-search.ts';

import type { ListedIds } from './memory-list.ts';

/** What a worker is started with. */
export interface WorkerStart {
  readonly file: string;
  /** Of all indexes that this worker holds. */
  readonly indexBytesMax: number;
  readonly busyTimeoutMs: number;
  /** Largest size of the file; unlimited where absent. */
  readonly fileBytesMax?: number | undefined;
  /** What an index holds at least that is kept in the file. */
  readonly keptEntriesMin: number;
  /** How long after a search the indexes are kept that are not yet. */
  readonly keepAfterMs: number;
  /** Raised when the thread is to end. */
  readonly closing: ClosingFlag;
}

/** Hits by id alone: texts and vectors are read by who needs them, and never copied across. */
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

/** Notifies a waiting thread that it is to end. */
export const CLOSE = { kind: 'Close' } as const;

export type ThreadMessage = CallMessage | typeof CLOSE;

export type AnswerMessage = {
  readonly number: number;
  /** For how long the thread was at it. */
  readonly ms: number;
} & ({ readonly answer: unknown } | { readonly failure: Failure });

/** An error as it crosses: a VarveError by its parts, since a copied one loses its class. */
export type Failure =
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
 * Signals a thread to end, also while it is busy and reads no messages: one number in memory that
 * both threads see, also when it is sent. It is raised once and never lowered.
 */
export type ClosingFlag = Int32Array<SharedArrayBuffer>;

export function createClosingFlag(): ClosingFlag {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

export function raiseClosing(flag: ClosingFlag): void {
  Atomics.store(flag, 0, 1);
}

/** One load of memory: to be asked as often as a loop turns. */
export function isClosing(flag: ClosingFlag): boolean {
  return Atomics.load(flag, 0) !== 0;
}

/** @throws VarveError CANCELLED where the thread is to end */
export function stopIfClosing(flag: ClosingFlag): void {
  if (isClosing(flag)) throw storeClosed();
}

/** What a call fails with that was under way. */
export function storeClosed(): VarveError {
  return new VarveError('CANCELLED', 'The store was closed while it was in use.');
}

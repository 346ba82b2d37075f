/**
 * Signals a thread to end, also while it is busy and reads no messages: one number in memory that
 * both threads see. It is raised once and never lowered.
 */
import { VarveError } from '#core/errors.ts';

/** Sent as it is, it stays the same memory. */
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

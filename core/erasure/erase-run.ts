/**
 * One erasure, from its pending record to its receipt: passes over the tenant until a pass finds
 * nothing, then rewrites the database files, then writes the receipt. The same code runs inside the
 * workflow, where each step is a recorded activity, and inside the process that was called. A step
 * gets and returns only tenants, ids of requests, times and counts.
 */
import { backoffDelay } from '../exponential-delay.ts';
import type { EraseInput } from '../ports/erasure-runs.ts';
import type { FileTraces } from '../records/erasure.ts';

/** The most passes in a row over a tenant that others keep writing to. */
export const PASSES_MAX = 16;

/** Returns the workflow id of a request: one open run for each, whoever the caller is. */
export function eraseWorkflowId({ requestId }: Pick<EraseInput, 'requestId'>): string {
  return `erase/${requestId}`;
}

export interface EraseRunInput extends EraseInput {
  /** How often the run has rested and started over; absent at first. */
  readonly rests?: number;
}

export interface ErasePassReport {
  /** Gone: no erasure is pending under that id, because it has its receipt. */
  readonly state: 'Found' | 'Nothing' | 'Gone';
}

export interface RewriteReport {
  /** Null if no erasure is pending under that id. */
  readonly files: FileTraces | null;
  /** Id of the erasure's event. */
  readonly eventId: string;
}

export interface ReceiptInput extends EraseInput {
  readonly files: FileTraces;
  readonly eventId: string;
}

/** Every step can be repeated without a second effect, even concurrently. */
export interface EraseActivities {
  /** Erases what it finds, and requests refreshes of scopes that lost sources. */
  erasePass(input: EraseInput): Promise<ErasePassReport>;
  /** Deletes the name of the target, and makes the database rewrite its files. */
  rewriteErasedFiles(input: EraseInput): Promise<RewriteReport>;
  /** Replaces the request with the receipt. */
  commitReceipt(input: ReceiptInput): Promise<void>;
}

export type ErasePhase = 'Erasing' | 'Rewriting' | 'Done';

/**
 * Returns whether the erasure has its receipt; false if others kept writing to its target.
 * @throws what a step throws: the request stays pending and continues later
 */
export async function runErasure(
  steps: EraseActivities,
  input: EraseInput,
  onPhase?: (phase: ErasePhase) => void,
): Promise<boolean> {
  onPhase?.('Erasing');
  for (let passes = 0; passes < PASSES_MAX; passes += 1) {
    const { state } = await steps.erasePass(input);
    if (state === 'Found') continue;
    if (state === 'Nothing') {
      onPhase?.('Rewriting');
      const { files, eventId } = await steps.rewriteErasedFiles(input);
      if (files !== null) await steps.commitReceipt({ ...input, files, eventId });
    }
    onPhase?.('Done');
    return true;
  }
  return false;
}

const RESTS = { firstMs: 60_000, mostMs: 3_600_000 } as const;

/** Returns how long a blocked run rests before it starts over, in milliseconds. */
export function restMs(rests: number): number {
  return backoffDelay(rests, RESTS);
}

// Whether a worker processes a run, as seen from outside by somebody who waits for it.

/** Longer than a worker takes to start waiting work. */
export const IDLE_MS_MAX = 5_000;

export interface RunObservation {
  readonly at: number;
  /** Number of events in the history. */
  readonly events: number;
  /** Whether a worker has an activity of the run; missing heartbeats reveal a dead worker. */
  readonly isAtWork: boolean;
}

/** Returns the observation at which the run last made progress. */
export function lastProgress(
  before: RunObservation | null,
  observation: RunObservation,
): RunObservation {
  if (before === null || observation.isAtWork || observation.events !== before.events)
    return observation;
  return before;
}

/** Returns whether nothing has processed the run for so long that the waiting caller takes over. */
export function isIdle({ at }: RunObservation, now: number): boolean {
  return now - at > IDLE_MS_MAX;
}

/**
 * One erasure from its pending record to its receipt: passes over the tenant until one finds
 * nothing, then the files of the database, then the receipt. The same code runs inside the
 * workflow, where each step is a recorded activity, and inside the process that was asked. Only
 * tenants, ids of requests, times and counts cross a step.
 */
import { backoffDelay } from '../exponential-delay.ts';
import type { EraseInput } from '../ports/erasure-runs.ts';
import type { FileTraces } from '../records/erasure.ts';

/** Maximum passes in a row over a tenant that others keep writing to. */
export const PASSES_MAX = 16;

/** One open run per request, whoever the caller is. */
export function eraseWorkflowId({ requestId }: Pick<EraseInput, 'requestId'>): string {
  return `erase/${requestId}`;
}

export interface EraseRunInput extends EraseInput {
  /** How often the run has rested and started over; absent at first. */
  readonly rests?: number;
}

export interface ErasePassReport {
  /** Gone: nothing is pending under that id, since it has its receipt. */
  readonly state: 'Found' | 'Nothing' | 'Gone';
}

export interface RewriteReport {
  /** Null where nothing is pending under that id. */
  readonly files: FileTraces | null;
  /** The id that the event of the erasure has. */
  readonly eventId: string;
}

export interface ReceiptInput extends EraseInput {
  readonly files: FileTraces;
  readonly eventId: string;
}

/** Every step may be repeated without a second effect, and at once with itself. */
export interface EraseActivities {
  /** Erases what it finds, and asks for refreshes of scopes that lost sources. */
  erasePass(input: EraseInput): Promise<ErasePassReport>;
  /** Forgets the name of what is gone, and has the database rewrite its files. */
  rewriteErasedFiles(input: EraseInput): Promise<RewriteReport>;
  /** Replaces the request with the receipt. */
  commitReceipt(input: ReceiptInput): Promise<void>;
}

export type ErasePhase = 'Erasing' | 'Rewriting' | 'Done';

/**
 * Answers whether the erasure has its receipt; false if others kept writing what was to go.
 * @throws what a step throws: the request is pending, and goes on later
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

/** How long a run rests that could not go on, before it starts over. */
export function restMs(rests: number): number {
  return backoffDelay(rests, RESTS);
}

// Whether somebody works on a run, as one who waits for it sees it from outside.

/** Longer than a worker takes to begin what waits for it. */
export const IDLE_MS_MAX = 5_000;

export interface RunLook {
  readonly at: number;
  /** Of the history. */
  readonly events: number;
  /** Whether a worker has an activity of it; one that died is found out by its heartbeats. */
  readonly isAtWork: boolean;
}

/** What stays in mind of the looks before: when the run last moved. */
export function lastMoved(before: RunLook | null, look: RunLook): RunLook {
  if (before === null || look.isAtWork || look.events !== before.events) return look;
  return before;
}

/** Whether nobody has worked on it for so long that the one who waits does it. */
export function isIdle({ at }: RunLook, now: number): boolean {
  return now - at > IDLE_MS_MAX;
}

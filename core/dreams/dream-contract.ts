/**
 * The contract between the workflows of dreams, their activities and their callers. Only ids,
 * counts, codes and times cross it: a subject is its `subjectId`, never its own name.
 */
import type { ErrorCode } from '../error-codes.ts';
import type { Exhaustion } from '../records/account.ts';
import type { DreamOutcome } from '../records/dream-outcome.ts';
import type { ApplyDreamInput, DreamInput } from '../ports/dream-runs.ts';
import type { BlockPlace } from './failed-dreams.ts';

export type { ApplyDreamInput, DreamInput } from '../ports/dream-runs.ts';

export const DREAM_TICK_SCHEDULE = 'varve-dream-tick';

/** One open run per subject, whoever the caller is. */
export function dreamWorkflowId({ subjectId }: { readonly subjectId: string }): string {
  return `dream/${subjectId}`;
}

export function applyDreamWorkflowId({ proposalId }: { readonly proposalId: string }): string {
  return `dream-apply/${proposalId}`;
}

/**
 * What a dream reads, settled by its first activity: documents are never written over, so those
 * after it read the same, whatever is appended meanwhile.
 */
export interface DreamCut {
  /** The version of MEMORY.md; 0 where there is none. */
  readonly memoryVersion: number;
  /** The daily files of the look-back, oldest first, and how many of their blocks. */
  readonly window: readonly DreamFile[];
  /** Those before them with blocks that no dream has read, newest first. */
  readonly earlier: readonly DreamFile[];
  /** The first block that no dream has read. */
  readonly oldest: BlockPlace;
  /** Of the subject's record at the time. */
  readonly subjectVersion: number;
  readonly gatheredAt: number;
  /** By name. */
  readonly model: string;
}

interface DreamFile {
  readonly path: string;
  /** The number of its last block. */
  readonly blocks: number;
}

export type DreamReading =
  | { readonly kind: 'Skip'; readonly outcome: 'NothingNew' | 'SameContent' | 'DeadLettered' }
  | {
      readonly kind: 'Ready';
      readonly blocks: number;
      readonly lines: number;
      readonly sourceTokens: number;
      readonly cut: DreamCut;
    }
  /** The tenant was released, or the subject was deleted. */
  | { readonly kind: 'Gone' };

export type DistilReport =
  | {
      readonly kind: 'Answered';
      /** By name: another one than was gathered for where the budget ended. */
      readonly model: string;
      readonly inputTokens: number;
      readonly outputTokens: number;
      /** False for an answer that was paid for before. */
      readonly called: boolean;
    }
  | { readonly kind: 'Exhausted'; readonly details: Exhaustion }
  | { readonly kind: 'Gone' };

export interface ProposeReport {
  readonly outcome:
    | Extract<DreamOutcome, 'Dreamed' | 'Unchanged' | 'Waiting' | 'LowGrounding' | 'Outdated'>
    | 'Gone';
  readonly added: number;
  readonly removed: number;
  readonly archived: number;
  readonly dropped: number;
}

export interface ApplyReport {
  /** NotApproved: it waits for a person, or one rejected it. */
  readonly state: 'Applied' | 'Outdated' | 'NotApproved' | 'Gone';
}

export interface ProposeInput extends DreamInput {
  readonly cut: DreamCut;
  /** Who answered, by name. */
  readonly model: string;
}

export interface EndInput extends DreamInput {
  readonly outcome: DreamOutcome;
  /** Of a failure. */
  readonly code?: ErrorCode;
  /** Of the cut; absent where it came to no call of a model. */
  readonly oldest?: BlockPlace;
}

/** Every activity may be repeated without a second effect. */
export interface DreamActivities {
  /**
   * Starts the dreams that are due, as many as a tick may; answers how many. Before that it has
   * applied what was approved and found it not applied.
   */
  startDueDreams(): Promise<{ readonly started: number }>;
  gatherDream(input: DreamInput): Promise<DreamReading>;
  distilDream(input: DreamInput & { readonly cut: DreamCut }): Promise<DistilReport>;
  /** Grounds the answer, makes the proposal, and applies it where the guards allow that. */
  proposeDream(input: ProposeInput): Promise<ProposeReport>;
  /** Notes how the dream ended, with the subject and with the round. */
  endDream(input: EndInput): Promise<void>;
  applyProposal(input: ApplyDreamInput): Promise<ApplyReport>;
}

export interface DreamResult {
  /** Gone: the tenant was released, or the subject was deleted. */
  readonly outcome: DreamOutcome | 'Gone';
  readonly added: number;
  readonly removed: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

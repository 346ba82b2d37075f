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

/** Returns the id of a workflow: a subject has at most one open run, whoever the caller is. */
export function dreamWorkflowId({ subjectId }: { readonly subjectId: string }): string {
  return `dream/${subjectId}`;
}

export function applyDreamWorkflowId({ proposalId }: { readonly proposalId: string }): string {
  return `dream-apply/${proposalId}`;
}

/**
 * What a dream reads, fixed by its first activity. Documents are never overwritten, so later
 * activities read the same, whatever is appended meanwhile. If something that they rest on is
 * deleted in between, the question is another one, and the dream ends as `Outdated`.
 */
export interface DreamCut {
  /** The version of MEMORY.md; 0 if there is none. */
  readonly memoryVersion: number;
  /** The daily files of the look-back, oldest first, each with its last block. */
  readonly window: readonly DreamFile[];
  /** Daily files before those that have blocks no dream has read, newest first. */
  readonly earlier: readonly DreamFile[];
  /** The first block that no dream has read. */
  readonly oldest: BlockPlace;
  /** The version of the subject's record at that time. */
  readonly subjectVersion: number;
  readonly gatheredAt: number;
  /** Name of the model. */
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
      /** Name of the model that answered; another one than planned if the budget is exhausted. */
      readonly model: string;
      readonly inputTokens: number;
      readonly outputTokens: number;
      /** False if the answer was already paid for by an earlier call. */
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
  /** NotApproved: the proposal waits for a person, or a person rejected it. */
  readonly state: 'Applied' | 'Outdated' | 'NotApproved' | 'Gone';
}

export interface ProposeInput extends DreamInput {
  readonly cut: DreamCut;
  /** Name of the model that answered. */
  readonly model: string;
}

export interface EndInput extends DreamInput {
  readonly outcome: DreamOutcome;
  /** The code of a failure. */
  readonly code?: ErrorCode;
  /** The oldest block of the cut; absent if the dream made no model call. */
  readonly oldest?: BlockPlace;
}

/** Every activity may be repeated without a second effect. */
export interface DreamActivities {
  /**
   * Starts the dreams that are due, as many as a tick may, and returns their number. First applies
   * approved proposals that are not applied yet.
   */
  startDueDreams(): Promise<{ readonly started: number }>;
  gatherDream(input: DreamInput): Promise<DreamReading>;
  distilDream(input: DreamInput & { readonly cut: DreamCut }): Promise<DistilReport>;
  /** Grounds the answer, makes the proposal, and applies it if the guards allow that. */
  proposeDream(input: ProposeInput): Promise<ProposeReport>;
  /** Records how the dream ended, in the subject's record and in the round. */
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

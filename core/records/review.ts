/**
 * What waits for a person: a turn that the rules of core/sources/planted.ts hold back, or a memory
 * that is proposed for a broader layer. It has no text of its own; the text is read where it lies.
 */
import { z } from 'zod';
import { derivedId } from '../events/derived-id.ts';
import type { Digest } from '../hash.ts';
import { Layer } from '../layer.ts';
import { TenantId } from '../scope.ts';
import { isLive } from '../sources/memory-state.ts';
import { PLANTED_RULES, plantedBy } from '../sources/planted.ts';
import { isKeptBack } from '../sources/source.ts';
import type { Memory } from './memory.ts';
import { REASON_LENGTH_MAX } from './proposal.ts';
import type { Turn } from './turn.ts';

/** The latest time that a UUIDv7 has room for. */
const TIME_MAX = 2 ** 48 - 1;

const At = z.int().min(0);

export const ReviewState = z.enum(['Waiting', 'Approved', 'Refused', 'Outdated']);

export const ReviewDecision = z.strictObject({
  at: At,
  principal: z.string().max(256),
  reason: z.string().max(REASON_LENGTH_MAX),
});
export type ReviewDecision = z.infer<typeof ReviewDecision>;

export const Review = z.strictObject({
  tenant: TenantId,
  /** UUIDv7 of when it was said or proposed. */
  id: z.string(),
  kind: z.enum(['Turn', 'Promotion']),
  /** The scope of what it is about; the review belongs to it. */
  layer: Layer,
  scopeId: z.string(),
  /** Id of the turn or memory. */
  sourceId: z.string(),
  /** Hash of the text that is decided on; the decision does not hold for another text. */
  contentHash: z.string(),
  /** Of the memory, since its tags and metadata go where its text goes; null for a turn. */
  version: z.int().nullable(),
  /** By which a turn is held back; null for a promotion. */
  rule: z.enum(PLANTED_RULES).nullable(),
  /** The scope that a memory is proposed for; null for a turn. */
  target: z.strictObject({ layer: Layer, scopeId: z.string() }).nullable(),
  /** Who proposed it, and why; null for a turn. */
  proposed: ReviewDecision.nullable(),
  /** Outdated: its text had changed or was gone when a person came to approve it. */
  state: ReviewState,
  /** Null while it waits, and where it is outdated. */
  decision: ReviewDecision.nullable(),
  /** The memory that an approved promotion became; null until it is written. */
  memoryId: z.string().nullable(),
  at: At,
});
export type Review = z.infer<typeof Review>;

/** Whether the memory that a promotion proposes is live and unchanged. */
export function isAsProposed<T extends Omit<Memory, 'vector'>>(
  memory: T | null,
  { layer, scopeId, contentHash, version }: Review,
  now: number,
): memory is T {
  if (memory?.layer !== layer || memory.scopeId !== scopeId) return false;
  return memory.contentHash === contentHash && memory.version === version && isLive(memory, now);
}

/** A promotion as it is proposed. */
export function proposedPromotion(
  { tenant, id: sourceId, layer, scopeId, contentHash, version }: Omit<Memory, 'vector'>,
  { id, target, proposed }: Pick<Review, 'id'> & PromotionProposal,
): Review {
  return {
    tenant,
    id,
    kind: 'Promotion',
    layer,
    scopeId,
    sourceId,
    contentHash,
    version,
    rule: null,
    target,
    proposed,
    state: 'Waiting',
    decision: null,
    memoryId: null,
    at: proposed.at,
  };
}

interface PromotionProposal {
  readonly target: NonNullable<Review['target']>;
  readonly proposed: ReviewDecision;
}

/** The review of a turn as it is appended; null for one that nothing holds back. */
export function reviewOfTurn(digest: Digest, turn: Omit<Turn, 'sequence'>): Review | null {
  const { tenant, sessionId: scopeId, id: sourceId, contentHash, at } = turn;
  const rule = isKeptBack(turn) ? plantedBy(turn.content) : null;
  if (rule === null) return null;
  return {
    tenant,
    id: reviewIdOfTurn(digest, turn),
    kind: 'Turn',
    layer: 'session',
    scopeId,
    sourceId,
    contentHash,
    version: null,
    rule,
    target: null,
    proposed: null,
    state: 'Waiting',
    decision: null,
    memoryId: null,
    at,
  };
}

export function reviewIdOfTurn(
  digest: Digest,
  { sessionId, id, at }: Pick<Turn, 'sessionId' | 'id' | 'at'>,
): string {
  return derivedId(digest, Math.min(at, TIME_MAX), ['review', sessionId, id]);
}

/** Makes the review of a held-back turn or of a promotion, and checks one that a person decides. */
import { derivedId } from '../events/event-id.ts';
import type { Digest } from '../hash.ts';
import type { Memory } from '../records/memory.ts';
import type { Review, ReviewDecision } from '../records/review.ts';
import type { Turn } from '../records/turn.ts';
import { isLive } from './memory-lifecycle.ts';
import { injectionRuleIn } from './prompt-injection.ts';
import { isHeldBack } from './source.ts';

/** The latest time that fits into a UUIDv7. */
const TIME_MAX = 2 ** 48 - 1;

/** Whether the memory that a promotion proposes is live and unchanged. */
export function isAsProposed<T extends Omit<Memory, 'vector'>>(
  memory: T | null,
  { layer, scopeId, contentHash, version }: Review,
  now: number,
): memory is T {
  if (memory?.layer !== layer || memory.scopeId !== scopeId) return false;
  return memory.contentHash === contentHash && memory.version === version && isLive(memory, now);
}

/** Returns the review of a proposed promotion. */
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

/** Returns the review of a turn that is being appended; null if no rule holds it back. */
export function reviewOfTurn(digest: Digest, turn: Omit<Turn, 'sequence'>): Review | null {
  const { tenant, sessionId: scopeId, id: sourceId, contentHash, at } = turn;
  const rule = isHeldBack(turn) ? injectionRuleIn(turn.content) : null;
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

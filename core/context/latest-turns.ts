/** The latest turns of the caller's session: which of them a context shows whole, and how. */
import type { Turn } from '../records/turn.ts';
import type { WholePart } from './context-parts.ts';
import { LATEST_TURN_SHARE, LATEST_TURNS_SHARE } from './context-shares.ts';
import { beginsWithFence } from '../text/code-fence.ts';
import { shownSpeaker, type PastPassage } from './past-turns.ts';

/**
 * Drops tool results whose call is not among the turns. The summary covers compacted turns, whose
 * remaining quotes would lack their context.
 */
export function wholeGroups(latest: readonly Turn[]): readonly Turn[] {
  const turns = latest.filter(({ compactedAt }) => compactedAt === null);
  const begin = turns.findIndex(({ role, sequence }) => sequence === 1 || role !== 'tool');
  return begin === -1 ? [] : turns.slice(begin);
}

export function turnPart(turn: Turn): WholePart {
  return {
    kind: 'hotTurn',
    id: turn.id,
    layer: 'session',
    text: `${shownSpeaker(turn)}:${beginsWithFence(turn.content) ? '\n' : ' '}${turn.content}`,
    sources: [turn.id],
    trust: turn.trust,
    relevance: 1,
    isResult: turn.role === 'tool',
  };
}

/**
 * Chooses which of the latest turns are shown whole, and which passages compete for the other room:
 * those of other turns, of long ones, and of latest turns that may be trimmed.
 */
export function turnsAndPassages(
  latest: readonly Turn[],
  passages: readonly PastPassage[],
  own: { limit: number; ownSessionId: string | undefined; ownSession: boolean },
): { readonly turns: readonly Turn[]; readonly passages: readonly PastPassage[] } {
  const { limit, ownSessionId, ownSession } = own;
  let isApart = false;
  const turns = latest.filter(({ role, tokenCount }) => {
    // The result of a tool follows its call.
    isApart = tokenCount > limit * LATEST_TURN_SHARE || (role === 'tool' && isApart);
    return !isApart;
  });
  const ids = new Set(turns.map(({ id }) => id));
  const needed = turns.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
  const mayBeTrimmed = needed > limit * LATEST_TURNS_SHARE;
  const competing = passages.flatMap((passage) => {
    if (passage.sessionId !== ownSessionId) return [passage];
    if (!ownSession) return [];
    if (!ids.has(passage.turnId)) return [passage];
    return mayBeTrimmed ? [{ ...passage, isOfLatest: true }] : [];
  });
  return { turns, passages: competing };
}

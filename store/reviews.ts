/** Reviews: each belongs to the scope of what it is about, and is decided with it. */
import { sourceLane, type Digest } from '#core/hash.ts';
import type { DecidedReview, ReviewRecords } from '#core/ports/store.ts';
import type { Review } from '#core/records/review.ts';
import { isAsProposed } from '#core/sources/propose-review.ts';
import type { Turn } from '#core/records/turn.ts';
import type { ScopeChange } from '#core/sources/source-change.ts';
import { turnSource } from '#core/sources/source.ts';
import { equal } from './storage-driver.ts';
import * as kinds from './record-kinds-and-indexes.ts';
import type { StoreParts } from './store-parts.ts';
import { changeScope } from './scopes.ts';
import type { Transaction } from './retry-concurrent-writes.ts';

/** Maximum earlier proposals of one memory to compare a new one with, newest first. */
const PROPOSALS_COMPARED_MAX = 100;

export function reviewRecords({ driver, writes }: StoreParts, digest: Digest): ReviewRecords {
  return {
    get: (tenant, id) => driver.get(kinds.REVIEWS, [tenant, id]),
    list: (tenant, { limit, before, state }) =>
      driver.scan(kinds.REVIEWS, {
        where: [
          ...equal({ tenant }, { state }),
          ...(before === undefined ? [] : [['id', '<', before] as const]),
        ],
        order: ['id'],
        descending: true,
        limit,
      }),
    propose: (review, { now }) =>
      writes.run(kinds.SCOPES, kinds.scopeKeyOf(review), async (transaction) => {
        if (!(await isProposed(transaction, review, now))) return null;
        const { tenant, sourceId } = review;
        const known = await transaction.scan(kinds.REVIEWS, {
          index: 'bySource',
          where: equal({ tenant, sourceId }),
          order: ['id'],
          descending: true,
          limit: PROPOSALS_COMPARED_MAX,
        });
        const same = known.find((each) => isSame(each, review));
        if (same === undefined) transaction.put(kinds.REVIEWS, review);
        return same ?? review;
      }),
    notePromoted: ({ tenant, id, layer, scopeId }, memoryId) =>
      writes.run(
        kinds.SCOPES,
        kinds.scopeKeyOf({ tenant, layer, scopeId }),
        async ({ get, put }) => {
          const before = await get(kinds.REVIEWS, [tenant, id]);
          if (before === null || before.memoryId !== null) return before;
          const review: Review = { ...before, memoryId };
          put(kinds.REVIEWS, review);
          return review;
        },
      ),
    decide: ({ tenant, id, layer, scopeId }, { state, decision }, rules) => {
      const scope = { tenant, layer, scopeId };
      return writes.run(kinds.SCOPES, kinds.scopeKeyOf(scope), async (transaction) => {
        const before = await transaction.get(kinds.REVIEWS, [tenant, id]);
        if (before === null) return null;
        const unchanged = () => changeScope(transaction, { scope, change: null }, rules);
        if (before.state !== 'Waiting') return { review: before, scope: unchanged() };
        const turn = before.kind === 'Turn' ? await turnOf(transaction, before) : null;
        const isThere = turn !== null || (await isProposed(transaction, before, rules.now));
        if (state === 'Approved' && !isThere) {
          const review: Review = { ...before, state: 'Outdated' };
          transaction.put(kinds.REVIEWS, review);
          return { review, scope: unchanged() };
        }
        const review: Review = { ...before, state, decision };
        transaction.put(kinds.REVIEWS, review);
        const change = turn === null ? null : decideTurn(transaction, digest, { turn, state });
        return { review, scope: changeScope(transaction, { scope, change }, rules) };
      }) satisfies Promise<DecidedReview | null>;
    },
  };
}

/** Whether an earlier proposal, waiting or decided, already answers a new one. */
function isSame(known: Review, { kind, contentHash, version, target }: Review): boolean {
  if (known.state === 'Outdated') return false;
  if (known.state === 'Waiting' && known.version !== version) return false;
  const isThere =
    known.target?.layer === target?.layer && known.target?.scopeId === target?.scopeId;
  return known.kind === kind && known.contentHash === contentHash && isThere;
}

/** Whether the memory of a promotion is still as it was when proposed. */
async function isProposed(
  { get }: Transaction<kinds.StoredScope>,
  review: Review,
  now: number,
): Promise<boolean> {
  if (review.kind !== 'Promotion') return false;
  return isAsProposed(await get(kinds.MEMORIES, [review.tenant, review.sourceId]), review, now);
}

/** Returns null if the turn's text is gone or has changed. */
async function turnOf(
  { scan }: Transaction<kinds.StoredScope>,
  { tenant, scopeId: sessionId, sourceId, contentHash }: Review,
): Promise<Turn | null> {
  const where = [...kinds.ofSession({ tenant, sessionId }), ...equal({ id: sourceId })];
  const [turn] = await scan(kinds.TURNS, { index: 'byId', where, limit: 1 });
  return turn?.contentHash === contentHash && turn.compactedAt === null ? turn : null;
}

/** Returns null if the decision changes nothing for readers. */
function decideTurn(
  { put }: Transaction<kinds.StoredScope>,
  digest: Digest,
  { turn, state }: { readonly turn: Turn; readonly state: 'Approved' | 'Refused' },
): ScopeChange | null {
  const { contentHash } = turn;
  const after: Turn = { ...turn, review: { state, contentHash } };
  put(kinds.TURNS, after);
  const [old, next] = [turnSource(turn), turnSource(after)];
  if (old.contentHash === next.contentHash) return null;
  return {
    lanes: [sourceLane(digest, old), sourceLane(digest, next)],
    sources: 0,
    tokens: 0,
    bytes: next.bytes - old.bytes,
    dropped: [],
    written: [turn.id],
    expiresAt: null,
  };
}

/**
 * Sessions: the conversations of a tenant and their owners; and their turns, which are the messages
 * of a session in order, each a source of the session's scope.
 */
import { sourceLane, type Digest } from '#core/hash.ts';
import type {
  AppendOutcome,
  Compacted,
  Compaction,
  SkippedTurn,
  TurnRecords,
} from '#core/ports/turn-records.ts';
import type { WriteRules } from '#core/ports/write-rules-and-outcomes.ts';
import { reviewIdOfTurn, reviewOfTurn } from '#core/sources/propose-review.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Turn } from '#core/records/turn.ts';
import {
  applyCompaction,
  compactedTurn,
  deletedTurn,
  deletionChange,
  freedBytes,
  isDeleted,
  isAsSeen,
  requireCompactedPerCall,
} from '#core/retention/compacted-turn.ts';
import type { Scope } from '#core/scope.ts';
import { isHeldBack, turnSource } from '#core/sources/source.ts';
import { turnOfPart } from '#core/sessions/turn-parts.ts';
import { sessionOf } from '#core/sessions/session-changes.ts';
import { equal, COMMIT_WRITES_MAX } from './storage-driver.ts';
import * as kinds from './record-kinds-and-indexes.ts';
import { tenantsBy, type StoreParts } from './store-parts.ts';
import { changeScope, recordOf, storedOrEmpty } from './scopes.ts';
import { citedSources } from './summaries-and-segments.ts';
import { readAhead, type Transaction } from './retry-concurrent-writes.ts';
import type { SessionRecords } from '#core/ports/store.ts';

/** Maximum turns of one commit; if there are more, the first are appended before the others. */
const APPENDED_AT_ONCE = COMMIT_WRITES_MAX / 4;

type NewTurn = Omit<Turn, 'sequence'>;

export function turnRecords(parts: StoreParts, digest: Digest): TurnRecords {
  const { driver, writes } = parts;
  return {
    append: (given, rules) => appendTurns(parts, digest, given, rules),
    analysis: ({ tenant, sessionId }) =>
      driver.get(
        kinds.SESSION_ANALYSES,
        kinds.scopeKeyOf({ tenant, layer: 'session', scopeId: sessionId }),
      ),
    saveAnalysis: (analysis, seen, now) =>
      writes.run(kinds.SCOPES, kinds.scopeKeyOf(analysis), ({ record, put }) => {
        if (record === null || !isAsSeen(recordOf(record), seen, now)) return false;
        // A session that was erased and begun again has the same versions as before.
        if (record.sourceHash !== seen.sourceHash) return false;
        put(kinds.SESSION_ANALYSES, analysis);
        return true;
      }),
    async latest(session, limit) {
      const where = kinds.ofSession(session);
      return (await driver.scan(kinds.TURNS, { where, descending: true, limit })).toReversed();
    },
    async get(session, id) {
      const where = [...kinds.ofSession(session), ...equal({ id })];
      return (await driver.scan(kinds.TURNS, { index: 'byId', where, limit: 1 }))[0] ?? null;
    },
    page: (session, { after, limit }) =>
      driver.scan(kinds.TURNS, {
        where: [...kinds.ofSession(session), ['sequence', '>', after]],
        limit,
      }),
    delete: ({ tenant, sessionId }, ids, rules) => {
      const scope = { tenant, layer: 'session', scopeId: sessionId } as const;
      return writes.run(kinds.SCOPES, kinds.scopeKeyOf(scope), (transaction) =>
        deleteTurns({ transaction, digest, rules }, scope, ids),
      );
    },
    async tenantsWithText({ after, limit }) {
      const found = await tenantsBy(driver, kinds.TURNS, { column: 'textAt', after, limit });
      return found.map(({ group, least }) => ({ tenant: group, oldestAt: least }));
    },
    async oldSessions(tenant, { until, place, limit }) {
      const { from, skip } = place ?? { from: 0, skip: 0 };
      const found = await driver.least(kinds.TURNS, {
        by: 'sessionId',
        column: 'textAt',
        where: [...equal({ tenant }), ['textAt', '<=', until]],
        order: 'value',
        from,
        skip,
        limit,
      });
      return found.map(({ group, least }) => ({ sessionId: group, oldestAt: least }));
    },
    old: (session, { until, after, limit }) =>
      driver.scan(kinds.TURNS, {
        where: [...kinds.ofSession(session), ['sequence', '>', after], ['textAt', '<=', until]],
        limit,
      }),
    async compact(compaction, rules) {
      requireCompactedPerCall(compaction.turns);
      const { scope, turns } = compaction;
      const reads = turns.map(({ sequence }) =>
        readAhead(kinds.TURNS, [scope.tenant, scope.scopeId, sequence]),
      );
      return writes.run(kinds.SCOPES, kinds.scopeKeyOf(scope), {
        reads,
        run: (transaction) => compactTurns({ transaction, digest, rules }, compaction),
      });
    },
  };
}

async function appendTurns(
  { writes }: StoreParts,
  digest: Digest,
  given: readonly NewTurn[],
  rules: WriteRules,
): Promise<AppendOutcome> {
  const session = sessionOf(given);
  const all: SkippedTurn[] = [];
  let appended = 0;
  for (let at = 0; ; at += APPENDED_AT_ONCE) {
    const some = given.slice(at, at + APPENDED_AT_ONCE);
    const answer = await writes.run(
      kinds.SCOPES,
      kinds.scopeKeyOf(session),
      async (transaction) => {
        const parts = { some, of: given };
        const { added, skipped } = await insertTurns(transaction, digest, parts);
        const change = {
          lanes: added.map((turn) => sourceLane(digest, turn)),
          sources: added.length,
          tokens: added.reduce((sum, turn) => sum + turn.tokenCount, 0),
          bytes: added.reduce((sum, turn) => sum + turnSource(turn).bytes, 0),
          dropped: [],
          written: added.map(({ id }) => id),
          expiresAt: null,
          changes: added.length,
        };
        const scope = { scope: session, change: added.length === 0 ? null : change };
        return { added: added.length, skipped, scope: changeScope(transaction, scope, rules) };
      },
    );
    appended += answer.added;
    all.push(...answer.skipped);
    if (at + APPENDED_AT_ONCE < given.length) continue;
    return { appended, skipped: all, scope: answer.scope };
  }
}

/**
 * Inserts the turns that the session did not have, and none that was deleted; their sequences
 * continue without a gap. Parts of a turn are added to none but the same turn.
 */
async function insertTurns(
  { scan, put }: Transaction<kinds.StoredScope>,
  digest: Digest,
  { some, of }: { readonly some: readonly NewTurn[]; readonly of: readonly NewTurn[] },
): Promise<{ added: readonly Turn[]; skipped: readonly SkippedTurn[] }> {
  const [first] = some;
  if (first === undefined) return { added: [], skipped: [] };
  const where = kinds.ofSession(first);
  const ids = [...new Set(some.flatMap(({ id }) => [id, turnOfPart(id)]))];
  const [[last], known] = await Promise.all([
    scan(kinds.TURNS, { where, descending: true, limit: 1 }),
    scan(kinds.TURNS, { index: 'byId', where: [...where, ['id', 'in', ids]], limit: ids.length }),
  ]);
  const taken = new Map<string, Pick<Turn, 'contentHash'>>(known.map((turn) => [turn.id, turn]));
  const hashes = new Map(of.map(({ id, contentHash }) => [id, contentHash]));
  const added: Turn[] = [];
  const skipped: SkippedTurn[] = [];
  for (const turn of some) {
    const { id } = turn;
    const [whole, same] = [taken.get(turnOfPart(id)), taken.get(id)];
    if ([whole, same].some((each) => each !== undefined && isDeleted(each))) {
      skipped.push({ id, reason: 'Deleted' });
      continue;
    }
    const isOfOther =
      whole !== undefined &&
      whole.contentHash !== (hashes.get(turnOfPart(id)) ?? whole.contentHash);
    if (isOfOther || (same !== undefined && same.contentHash !== turn.contentHash)) {
      skipped.push({ id, reason: 'Differs' });
      continue;
    }
    if (same !== undefined) continue;
    taken.set(id, turn);
    const inserted = { ...turn, sequence: (last?.sequence ?? 0) + added.length + 1 };
    added.push(inserted);
    put(kinds.TURNS, inserted);
    const review = reviewOfTurn(digest, turn);
    if (review !== null) put(kinds.REVIEWS, review);
  }
  return { added, skipped };
}

interface TurnWrite {
  readonly transaction: Transaction<kinds.StoredScope>;
  readonly digest: Digest;
  readonly rules: WriteRules;
}

async function deleteTurns(
  { transaction, digest, rules }: TurnWrite,
  scope: Scope,
  ids: readonly string[],
): Promise<{ deleted: readonly string[]; scope: ScopeRecord }> {
  const { scan, put } = transaction;
  const where = [...kinds.ofSession({ tenant: scope.tenant, sessionId: scope.scopeId })];
  const found = await scan(kinds.TURNS, {
    index: 'byId',
    where: [...where, ['id', 'in', [...ids]]],
    limit: ids.length,
  });
  const pairs = found
    .filter((turn) => !isDeleted(turn))
    .map((before) => ({ before, after: deletedTurn(before, rules.now) }));
  for (const { before, after } of pairs) {
    put(kinds.TURNS, after);
    forgetReview(transaction, digest, before);
  }
  if (pairs.length > 0) transaction.delete(kinds.SESSION_ANALYSES, kinds.scopeKeyOf(scope));
  const deleted = pairs.map(({ before }) => before.id);
  const cited = pairs.length === 0 ? new Set<string>() : await citedSources(scan, scope);
  const change = pairs.length === 0 ? null : deletionChange(digest, pairs, cited);
  return { deleted, scope: changeScope(transaction, { scope, change }, rules) };
}

/** Without its text, a turn has nothing left to decide on. */
function forgetReview(
  transaction: Transaction<kinds.StoredScope>,
  digest: Digest,
  turn: Turn,
): void {
  if (turn.review === undefined && !isHeldBack(turn)) return;
  transaction.delete(kinds.REVIEWS, [turn.tenant, reviewIdOfTurn(digest, turn)]);
}

async function compactTurns(
  { transaction, digest, rules: { now } }: TurnWrite,
  { scope, turns }: Compaction,
): Promise<Compacted | null> {
  const { record, set, get, put } = transaction;
  const stored = storedOrEmpty(record, scope);
  if (!isAsSeen(recordOf(stored), scope, now)) return null;
  const done: (typeof turns)[number][] = [];
  let bytes = 0;
  for (const kept of turns) {
    const before = await get(kinds.TURNS, [scope.tenant, scope.scopeId, kept.sequence]);
    if (before === null || before.id !== kept.id || before.compactedAt !== null) continue;
    const after = compactedTurn(before, kept, now);
    put(kinds.TURNS, after);
    if (before.review === undefined) forgetReview(transaction, digest, before);
    bytes += freedBytes(before, after);
    done.push(kept);
  }
  if (done.length === 0) return { turns: [], bytes: 0, scope: recordOf(stored) };
  transaction.delete(kinds.SESSION_ANALYSES, kinds.scopeKeyOf(scope));
  const next = applyCompaction(recordOf(stored), bytes);
  set({ ...next, forgottenBefore: stored.forgottenBefore });
  return { turns: done, bytes, scope: next };
}

export function sessionRecords({ driver, writes }: StoreParts): SessionRecords {
  return {
    get: (tenant, sessionId) => driver.get(kinds.SESSIONS, [tenant, sessionId]),
    list: (tenant, { opener, after, limit }) =>
      driver.scan(kinds.SESSIONS, {
        index: 'byOpener',
        where: equal({ tenant, opener }),
        order: ['age', 'sessionId'],
        ...(after === null ? {} : { after: [-after.lastAt, after.sessionId] }),
        limit,
      }),
    async ofFlush(tenant, flushId) {
      const where = equal({ tenant, flushId });
      return (await driver.scan(kinds.SESSIONS, { index: 'byFlush', where, limit: 1 }))[0] ?? null;
    },
    dueFlushes: ({ tenant, now, limit }) =>
      driver.scan(kinds.SESSIONS, {
        where: [...equal({}, { tenant }), ['flushDueAt', '<=', now]],
        order: ['flushDueAt', 'tenant', 'sessionId'],
        limit,
      }),
    change: (tenant, sessionId, change) =>
      writes.run(kinds.SESSIONS, [tenant, sessionId], ({ record, set }) => {
        const changed = change(record);
        if (changed !== null) set(changed);
        return changed;
      }),
  };
}

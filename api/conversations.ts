/** Appends turns to sessions, and lists sessions. */
import { pagesOf } from '#core/chunks-and-pages.ts';
import { contentHash } from '#core/hash.ts';
import { VarveError } from '#core/errors.ts';
import { trustOfTurn } from '#core/trust.ts';
import type { SkippedTurn } from '#core/ports/turn-records.ts';
import { encodePassage } from '#core/recall/sessions/passage-vectors.ts';
import { passagesOf } from '#core/recall/sessions/split-into-passages.ts';
import type { SessionRecord } from '#core/records/session.ts';
import { requireSaidByNow } from '#core/said-at.ts';
import type { Turn } from '#core/records/turn.ts';
import { namedParts, turnParts } from '#core/sessions/turn-parts.ts';
import { appendedSession, isNoted, namedSession } from '#core/sessions/session-changes.ts';
import { endOfSession } from '#core/sessions/session-end.ts';
import { openersOf } from '#core/sessions/session-access.ts';
import { policyInForce, policyToWriteBy, sessionSilenceOf } from '#core/policy/policy-in-force.ts';
import type { ApiPorts } from './api-ports.ts';
import { authorize, mayReadSession, type Principal, authorizedSession } from './principal.ts';
import type {
  AppendedTurns,
  AppendTurns,
  ListConversations,
  ShownConversations,
} from './schemas/conversation.ts';
import { requestRefreshIfDue } from '#memory/request-refresh.ts';
import { writeRules } from './find-memory.ts';

/** Maximum pages to read for one list, since deleted sessions leave gaps. */
const LISTED_PAGES_MAX = 100;

/**
 * Appends turns in order and splits long ones into parts. Leaves a turn alone if the session
 * already has its id, and skips a turn without words and calls; says which texts are not stored.
 */
export async function appendTurns(
  ports: ApiPorts,
  principal: Principal,
  { tenant, sessionId, turns, identifiers, tags, idempotencyKey }: AppendTurns,
): Promise<AppendedTurns> {
  requireOneSession(sessionId, identifiers);
  authorize(principal, { tenant, identifiers: { ...identifiers, sessionId } });
  const { store, platform, tokens } = ports;
  const [before, policy] = await Promise.all([
    authorizedSession(ports, principal, { tenant, sessionId }),
    policyToWriteBy(store.policies, tenant),
  ]);
  const now = platform.clock();
  requireSaidByNow('turns', turns, now);
  await requireTurnsOfParts(ports, { tenant, sessionId }, turns);
  // A key belongs to its sender and counts within the session.
  const newId = (place: number) =>
    idempotencyKey === undefined
      ? platform.newId()
      : platform.digest(JSON.stringify([principal.name, sessionId, idempotencyKey, place]));
  const named = turns.map((turn, place) => ({ ...turn, id: turn.id ?? newId(place) }));
  const ids = named.map(({ id }) => id);
  const parts = named.flatMap(({ id, content, toolCalls, ...turn }) =>
    turnParts(id, content, toolCalls).map((part) => ({ ...turn, ...part, turnId: id })),
  );
  if (parts.length === 0) return { appended: 0, ids, ...skippedOf(ids, parts, []) };
  if (idempotencyKey !== undefined) {
    const claimed = {
      key: JSON.stringify(['conversation.append', sessionId, idempotencyKey]),
      body: { turns, identifiers, tags },
    };
    await ports.provider.claimKey(tenant, claimed, { by: principal.name });
  }
  const vectors = await passageVectors(ports, principal, { tenant, turns: parts });
  const records = parts.map((turn, index) => ({
    tenant,
    sessionId,
    id: turn.id,
    role: turn.role,
    speaker: turn.speaker ?? null,
    content: turn.content,
    contentHash: contentHash(platform.digest, turn.content),
    ...(turn.at ?? { at: now }),
    ...(turn.at !== undefined && turn.at.at < now && { storedAt: now }),
    tokenCount: tokens.count(turn.content),
    trust: trustOfTurn(turn),
    saidUnits: turn.saidUnits,
    toolCalls: turn.toolCalls,
    toolCallId: turn.toolCallId ?? null,
    flushId: null,
    compactedAt: null,
    quotes: [],
    vectors: vectors?.[index] ?? null,
  }));
  const appending = {
    tenant,
    sessionId,
    principal: principal.name,
    identifiers,
    tags,
    at: records.map(({ at }) => at),
    flush: { id: platform.newId(), now, layers: principal.layers },
    silenceMs: sessionSilenceOf(policy),
  };
  const change = () =>
    store.sessions.change(tenant, sessionId, (found) => appendedSession(found, appending));
  // Record a new session before its turns, so that none of them is ever out of reach.
  if (before === null) await change();
  const rules = writeRules(policy, 'session', now);
  const { appended, skipped, scope } = await store.turns.append(records, rules);
  const session = { tenant, sessionId };
  const [newest] = before === null || appended > 0 ? [] : await store.turns.latest(session, 1);
  const isRepeated = before !== null && appended === 0 && isNoted(before, newest);
  // A new version makes readers read again. Repeated turns do not reopen a session.
  await (isRepeated
    ? store.sessions.change(tenant, sessionId, (found) => namedSession(found, appending))
    : change());
  if (appended > 0) await requestRefreshIfDue(ports, scope, now);
  return { appended, ids, ...skippedOf(ids, parts, skipped) };
}

/** Returns each turn whose text is not stored once, in the order of the call. */
function skippedOf(
  ids: readonly string[],
  parts: readonly { readonly id: string; readonly turnId: string }[],
  skippedParts: readonly SkippedTurn[],
): Pick<AppendedTurns, 'skipped'> {
  const turnOf = new Map(parts.map(({ id, turnId }) => [id, turnId]));
  const kept = new Set(turnOf.values());
  const reasons = new Map(skippedParts.map(({ id, reason }) => [turnOf.get(id), reason]));
  const skipped = [...new Set(ids)].flatMap((id) => {
    const reason = kept.has(id) ? reasons.get(id) : ('Blank' as const);
    return reason === undefined ? [] : [{ id, reason }];
  });
  return skipped.length === 0 ? {} : { skipped };
}

/**
 * Refuses an id that a part of a long turn has or may get: the turn's own part would have no place,
 * and whoever deletes the turn would delete this one, too.
 */
async function requireTurnsOfParts(
  { store }: ApiPorts,
  session: { readonly tenant: string; readonly sessionId: string },
  turns: AppendTurns['turns'],
): Promise<void> {
  const isKnown = async (id: string) => (await store.turns.get(session, id)) !== null;
  for (const { place, id, turnId, canBePart, isAfterTurn } of namedParts(turns)) {
    const isOfTurn = canBePart && (isAfterTurn || (await isKnown(turnId)) || (await isKnown(id)));
    if (isOfTurn) continue;
    const field = `turns.${String(place)}.id`;
    const expected =
      `expected another id than ${JSON.stringify(id)}: Varve names the parts of long turns so, ` +
      'each after the first part of its turn';
    const next = 'give an id that does not end in /part- and a number';
    const issues = [{ path: field, expected }];
    throw new VarveError('INVALID_INPUT', `${field}: ${expected}; ${next}.`, {
      details: { issues },
    });
  }
}

function requireOneSession(sessionId: string, identifiers: AppendTurns['identifiers']): void {
  const other = identifiers.sessionId;
  if (other === undefined || other === sessionId) return;
  throw new VarveError(
    'INVALID_INPUT',
    `sessionId is ${JSON.stringify(sessionId)} and identifiers.sessionId is ` +
      `${JSON.stringify(other)}: name one session.`,
    { details: { field: 'identifiers.sessionId' } },
  );
}

/** Returns the vectors of each turn's passages; null to compare only words. */
async function passageVectors(
  { provider, platform }: ApiPorts,
  { name }: Principal,
  { tenant, turns }: { tenant: string; turns: readonly { readonly content: string }[] },
): Promise<readonly Turn['vectors'][] | null> {
  const passages = turns.map(({ content }) => passagesOf(content));
  try {
    const made = await provider.embedPassages(tenant, passages.flat(), { by: name });
    if (made === null) return null;
    let next = 0;
    return passages.map((each) => {
      const own = made.vectors.slice(next, next + each.length);
      next += each.length;
      const known = own.filter((vector) => vector !== null);
      if (known.length < each.length) return null;
      return { generation: made.generation, passages: known.map(encodePassage) };
    });
  } catch (error) {
    if (!(error instanceof VarveError) || error.code === 'CANCELLED') throw error;
    platform.log.warn({ tenant, code: error.code }, 'turns stored without vectors');
    return null;
  }
}

/** Returns the sessions that the identifiers open, newest first. */
export async function listConversations(
  ports: ApiPorts,
  principal: Principal,
  { tenant, identifiers, cursor, limit }: ListConversations,
): Promise<ShownConversations> {
  authorize(principal, { tenant, identifiers });
  const after = cursor === undefined ? null : readSessionCursor(cursor);
  const pages = await Promise.all(
    openersOf(identifiers).map((opener) =>
      newestSessions(ports, { tenant, opener, after, limit: limit + 1 }),
    ),
  );
  const silenceMs = sessionSilenceOf(await policyInForce(ports.store.policies, tenant));
  const now = ports.platform.clock();
  const found = pages
    .flat()
    .toSorted((a, b) => b.lastAt - a.lastAt || (a.sessionId < b.sessionId ? -1 : 1));
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  const sessions = page
    .filter((session) => mayReadSession(principal, session))
    .map((session) => ({
      sessionId: session.sessionId,
      identifiers: session.identifiers,
      firstAt: session.firstAt,
      lastAt: session.lastAt,
      endedAt: endOfSession(session, { now, silenceMs }),
      tags: session.tags,
    }));
  const nextCursor = last === undefined ? null : `${String(last.lastAt)}/${last.sessionId}`;
  return { sessions, nextCursor };
}

type SessionCursor = Pick<SessionRecord, 'lastAt' | 'sessionId'>;

function readSessionCursor(cursor: string): SessionCursor {
  const slash = cursor.indexOf('/');
  return { lastAt: Number(cursor.slice(0, slash)), sessionId: cursor.slice(slash + 1) };
}

/** Returns the newest sessions of an opener, without those whose turns were deleted. */
async function newestSessions(
  { store: { sessions } }: ApiPorts,
  from: { tenant: string; opener: string; after: SessionCursor | null; limit: number },
): Promise<readonly SessionRecord[]> {
  const { tenant, opener, limit } = from;
  const found: SessionRecord[] = [];
  const read = (last: SessionRecord | undefined) =>
    sessions.list(tenant, { opener, after: last ?? from.after, limit });
  for await (const page of pagesOf(limit, read, LISTED_PAGES_MAX)) {
    found.push(...page.filter(({ isDeleted }) => isDeleted !== true));
    if (found.length >= limit) break;
  }
  return found;
}

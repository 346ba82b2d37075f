/** Flushes of sessions: what their turns say that lasts is kept, and goes where the turns go. */
import { scopeOf } from '#core/identifiers.ts';
import type { SessionRecord } from '#core/records/session.ts';
import type { Scope } from '#core/scope.ts';
import { policyInForce } from '#core/policy/tenant-policy.ts';
import { addMessages } from './extraction.ts';
import type { FlushConversation, FlushedConversation } from './operations/conversation.ts';
import type { ExtractionResult } from './operations/extraction.ts';
import type { ApiPorts } from './ports.ts';
import { authorize, type Principal } from './principal.ts';
import { authorizedSession, changeSession } from './session-record.ts';
import { requestRefreshIfDue } from './writes.ts';

/** Turns that are read at a time. */
const TURNS_PER_PAGE = 200;
/** As many values as one filter takes (core/search/filter.ts). */
const FILTERED_IDS_MAX = 100;
const LISTED_MAX = 500;

/**
 * Keeps what the turns since the last flush say that lasts. A call that failed in between is done
 * again from the last page on; a turn that had its effect changes nothing.
 * @throws VarveError FORBIDDEN, CONFLICT
 */
export async function flushConversation(
  ports: ApiPorts,
  principal: Principal,
  { tenant, sessionId }: FlushConversation,
): Promise<FlushedConversation> {
  authorize(principal, { tenant, identifiers: { sessionId } });
  const session = await authorizedSession(ports, principal, { tenant, sessionId });
  // A session of nobody waits: a later append may say whose it is.
  if (session === null || session.opener === '') return { turns: 0, results: [] };
  const identifiers = { ...session.identifiers, sessionId };
  const results: ExtractionResult[] = [];
  let turns = 0;
  for (let after = session.flushedTo; ;) {
    const page = await ports.store.turns.page(
      { tenant, sessionId },
      { after, limit: TURNS_PER_PAGE },
    );
    const messages = page
      .filter(({ compactedAt }) => compactedAt === null)
      .map(({ id, role, speaker, content, at }) => ({
        id,
        role,
        ...(speaker === null ? {} : { speaker }),
        content,
        at,
      }));
    if (messages.length > 0) {
      const added = await addMessages(ports, principal, { tenant, identifiers, messages });
      results.push(...added.results);
    }
    turns += page.length;
    const last = page.at(-1)?.sequence ?? after;
    if (last > after) await noteFlushed(ports, { tenant, sessionId }, last);
    after = last;
    if (page.length < TURNS_PER_PAGE) return { turns, results };
  }
}

async function noteFlushed(
  ports: ApiPorts,
  session: { tenant: string; sessionId: string },
  flushedTo: number,
): Promise<void> {
  await changeSession(ports, {
    ...session,
    change: (before) =>
      before === null || before.flushedTo >= flushedTo
        ? null
        : { ...before, flushedTo, version: before.version + 1 },
  });
}

/** Deletes the memories that were kept of turns. */
export async function deleteKept(
  ports: ApiPorts,
  principal: Principal,
  { session, turnIds }: { session: SessionRecord; turnIds: readonly string[] },
): Promise<void> {
  const { provider } = ports;
  const { tenant, sessionId } = session;
  const scopes = await scopesOf(ports, session);
  if (scopes.length === 0) return;
  for (let at = 0; at < turnIds.length; at += FILTERED_IDS_MAX) {
    const ids = turnIds.slice(at, at + FILTERED_IDS_MAX);
    const { memories } = await provider.list(tenant, {
      scopes,
      conditions: {
        latestOnly: false,
        tags: [],
        kind: null,
        filter: {
          and: [
            { field: 'session', eq: sessionId },
            { field: 'source', in: ids },
          ],
        },
      },
      order: 'oldest',
      cursor: null,
      limit: LISTED_MAX,
    });
    for (const { id, origin } of memories) {
      if (origin.channel !== 'extraction') continue;
      const options = { by: principal.name, idempotencyKey: null };
      const scope = await provider.delete({ tenant, id }, options);
      if (scope !== null) await requestRefreshIfDue(ports, scope);
    }
  }
}

/** The scopes that extraction from a session writes to. */
async function scopesOf(
  { store }: ApiPorts,
  { tenant, identifiers }: SessionRecord,
): Promise<readonly Scope[]> {
  const { userId, agentId, projectId } = identifiers;
  const { hierarchy } = await policyInForce(store.policies, tenant);
  return [
    ...(userId === undefined ? [] : ['user']),
    ...(agentId === undefined ? [] : ['agent']),
    ...(projectId === undefined ? [] : ['project']),
  ].map((layer) => scopeOf(tenant, layer, { identifiers, hierarchy }));
}

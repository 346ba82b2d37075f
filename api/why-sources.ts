/** Finds what something rests on: memories, turns and lines, and which of them are gone. */
import { fingerprintOf } from '#core/erasure/erasure-receipt.ts';
import { IDENTIFIER_OF, type Identifiers } from '#core/identifiers.ts';
import type { ErasedKind } from '#core/records/erasure.ts';
import type { Memory } from '#core/records/memory.ts';
import type { Turn } from '#core/records/turn.ts';
import type { Scope } from '#core/scope.ts';
import { isHeldBack } from '#core/sources/source.ts';
import { citedTurn } from '#core/memory-files/turn-citation.ts';
import { listConversations } from './conversations.ts';
import { hasExpired } from '#core/sources/memory-lifecycle.ts';
import { findMemory } from './find-memory.ts';
import type { PastLine } from './recall-file-lines.ts';
import type { ApiPorts } from './api-ports.ts';
import { isTenantAdmin, mayReadSession, type Principal } from './principal.ts';
import type { WhySource } from './schemas/why.ts';
import { memoryHistory } from './list-memories.ts';

/** Maximum sessions in which to look for turns, newest first, and maximum turns of each. */
const SESSIONS_LOOKED_AT_MAX = 20;
const TURNS_LOOKED_AT_MAX = 1_000;
/** Maximum receipts of erasures in which to look for an id, newest first. */
const RECEIPTS_LOOKED_AT_MAX = 1_000;

/** Who asks, and what is open to the caller. */
export interface Asking {
  readonly ports: ApiPorts;
  readonly principal: Principal;
  readonly tenant: string;
  readonly identifiers: Identifiers;
  /** Lines of MEMORY.md and of the latest daily files. */
  readonly lines: readonly PastLine[];
}

/** Erased records that may be sources. */
const ERASED: Partial<Record<ErasedKind, 'memory' | 'turn' | 'line'>> = {
  Memory: 'memory',
  Turn: 'turn',
  Line: 'line',
};

const STATE_OF = {
  active: 'Current',
  superseded: 'Superseded',
  quarantined: 'Quarantined',
} as const satisfies Record<Memory['state'], string>;

/** Returns the state at a time: a memory that ends on a day holds until then. */
export function stateOf(memory: Memory, now: number) {
  if (hasExpired(memory, now)) return 'Expired';
  const { state, validTo, supersededBy } = memory;
  const isOver = supersededBy !== null && validTo !== null && validTo <= now;
  return STATE_OF[isOver ? 'superseded' : state];
}

/**
 * Returns one source per id. Looks for turns in the sessions that the identifiers open.
 * @param session another session to look for turns in, as named by a memory
 */
export async function sourcesOf(
  asking: Asking,
  ids: readonly string[],
  session: string | null = null,
): Promise<readonly WhySource[]> {
  const found = new Map<string, WhySource>();
  for (const id of ids) {
    const memory = await findMemory(asking.ports, asking.principal, { ...asking, id });
    if (memory !== null) found.set(id, memorySource(memory, asking.ports.platform.clock()));
  }
  for (const each of asking.lines) {
    for (const id of [each.line.id, each.block]) {
      if (ids.includes(id)) found.set(id, lineSource(each, { id, before: found.get(id) }));
    }
  }
  for (const id of ids) {
    const turn = await turnCited(asking, id);
    if (turn !== null) found.set(id, { ...whySourceOfTurn(turn), id });
  }
  const missing = new Set(ids.filter((id) => !found.has(id)));
  for (const turn of await findReadableTurns(asking, missing, session))
    found.set(turn.id, whySourceOfTurn(turn));
  for (const id of missing) {
    if (found.has(id)) continue;
    const deleted = await deletedSource(asking, id);
    if (deleted !== null) found.set(id, deleted);
  }
  const left = ids.filter((id) => !found.has(id));
  for (const erased of await erasedAmong(asking, left)) found.set(erased.id, erased);
  return ids.map((id) => found.get(id) ?? unknownSource(id));
}

/** Returns the turn that a line cites together with its session; null for any other id. */
export async function turnCited(asking: Asking, source: string): Promise<Turn | null> {
  const cited = citedTurn(source);
  if (cited === null) return null;
  const turns = await findReadableTurns(asking, new Set([cited.id]), cited.sessionId);
  return turns.find(({ sessionId }) => sessionId === cited.sessionId) ?? null;
}

/** Returns the ids that occur in a receipt of an erasure; for callers that may read receipts. */
export async function erasedAmong(
  { ports, principal, tenant }: Asking,
  ids: readonly string[],
): Promise<readonly WhySource[]> {
  if (ids.length === 0 || !isTenantAdmin(principal)) return [];
  const { erasures } = ports.store;
  const { receipts: count } = await erasures.ledger(tenant);
  const after = Math.max(0, count - RECEIPTS_LOOKED_AT_MAX);
  const receipts = await erasures.receipts(tenant, { after, limit: RECEIPTS_LOOKED_AT_MAX });
  return ids.flatMap((source): readonly WhySource[] => {
    const id = citedTurn(source)?.id ?? source;
    for (const { id: receiptId, erased, erasedAt: at, by } of receipts) {
      for (const { kind, fingerprints } of erased) {
        const shown = ERASED[kind];
        if (shown === undefined) continue;
        const fingerprint = fingerprintOf(ports.platform.digest, receiptId, { kind, id });
        if (!fingerprints.includes(fingerprint)) continue;
        return [{ ...unknownSource(source), kind: shown, state: 'Erased', at, by }];
      }
    }
    return [];
  });
}

export function unknownSource(id: string): WhySource {
  const nothing = { state: null, text: null, layer: null, scopeId: null, at: null, by: null };
  return { id, kind: 'unknown', ...nothing, restsOn: [] };
}

function memorySource(memory: Memory, now: number): WhySource {
  const { id, content: text, layer, scopeId, validFrom: at, origin } = memory;
  const { principal: by, sources: restsOn } = origin;
  return { id, kind: 'memory', state: stateOf(memory, now), text, layer, scopeId, at, by, restsOn };
}

/** Adds a line to a source: the line itself, or its block with the lines before it. */
function lineSource(
  { line: { text, at, sources }, subject, path: by }: PastLine,
  { id, before }: { readonly id: string; readonly before: WhySource | undefined },
): WhySource {
  const place = { layer: subject.kind, scopeId: subject.id };
  const all = [before?.text, text].filter((each) => each != null).join('\n');
  const restsOn = [...new Set([...(before?.restsOn ?? []), ...sources])];
  return { id, kind: 'line', state: 'Current', text: all, ...place, at, by, restsOn };
}

export function whySourceOfTurn(turn: Turn): WhySource {
  const { id, sessionId: scopeId, at, role, speaker, quotes, content } = turn;
  const isGone = turn.compactedAt !== null;
  const kept = quotes.length === 0 ? null : quotes.join(' … ');
  return {
    id,
    kind: 'turn',
    state: stateOfTurn(turn),
    text: isGone ? kept : content,
    layer: 'session',
    scopeId,
    at,
    by: speaker ?? role,
    restsOn: [],
  };
}

function stateOfTurn(turn: Turn): NonNullable<WhySource['state']> {
  if (turn.compactedAt !== null) return 'TextGone';
  if (!isHeldBack(turn)) return 'Current';
  return turn.review?.state === 'Refused' ? 'Refused' : 'Quarantined';
}

async function deletedSource(asking: Asking, id: string): Promise<WhySource | null> {
  const { ports, principal, tenant } = asking;
  const page = { tenant, id, beforeVersion: undefined, limit: 1 };
  const { changes } = await memoryHistory(ports, principal, page);
  const [last] = changes;
  if (last?.action !== 'Deleted') return null;
  const { layer, scopeId, at, principal: by } = last;
  const place = { layer, scopeId };
  return { id, kind: 'memory', state: 'Deleted', text: null, ...place, at, by, restsOn: [] };
}

/** Returns the ids that are turns of readable sessions. */
export async function findReadableTurns(
  asking: Asking,
  wanted: ReadonlySet<string>,
  session: string | null = null,
): Promise<readonly Turn[]> {
  if (wanted.size === 0) return [];
  const { ports, principal, tenant, identifiers } = asking;
  const limit = SESSIONS_LOOKED_AT_MAX;
  const { sessions } = await listConversations(ports, principal, { tenant, identifiers, limit });
  const { sessionId: own } = identifiers;
  const named = [session, own].filter((each) => each !== null && each !== undefined);
  const found: Turn[] = [];
  for (const sessionId of new Set([...named, ...sessions.map((each) => each.sessionId)])) {
    if (found.length === wanted.size) break;
    const known = await ports.store.sessions.get(tenant, sessionId);
    if (known === null || !mayReadSession(principal, known)) continue;
    const turns = await ports.store.turns.latest({ tenant, sessionId }, TURNS_LOOKED_AT_MAX);
    found.push(...turns.filter(({ id }) => wanted.has(id)));
  }
  return found;
}

/** Also opens a scope, in place of another scope of its layer. */
export function withScopeOpened(
  asking: Asking,
  { layer, scopeId }: Pick<Scope, 'layer' | 'scopeId'>,
): Asking {
  const identifiers = { ...asking.identifiers, [IDENTIFIER_OF[layer]]: scopeId };
  return { ...asking, identifiers };
}

/**
 * Finds what an erasure deletes: records in the scopes to delete, what was made from them
 * elsewhere, and records that name them.
 *
 * Flow: sessions of the target → scopes to delete whole → memories in them, memories extracted from
 * the sessions or from the erased turn, and memories that rest on any of these → lines of Markdown
 * memories that rest on either → records of calls, keys and the audit that name any of these ids.
 */
import {
  turnToErase,
  isTurnToErase,
  isOfErasedUser,
  namesAny,
  namesTurn,
  type TurnToErase,
} from '#core/erasure/belongs-to-target.ts';
import { linesOfProposal, withDescendants, type Derived } from '#core/erasure/dependent-records.ts';
import { openersOf } from '#core/sessions/session-access.ts';
import type { PartTarget } from '#core/ports/erasure-records.ts';
import type { Document } from '#core/records/document.ts';
import type { ErasedIds } from '#core/records/erasure.ts';
import type { Proposal } from '#core/records/proposal.ts';
import type { Turn } from '#core/records/turn.ts';
import { isErased } from '#core/retention/compacted-turn.ts';
import type { Scope } from '#core/scope.ts';
import { scopeKey } from '#core/scope-key.ts';
import { subjectKey } from '#core/subject.ts';
import { citationOf, citedTurn } from '#core/memory-files/turn-citation.ts';
import {
  equal,
  type FieldCondition,
  type Driver,
  recordKey,
  keyText,
  type AnyKind,
  type RecordKind,
} from '../storage-driver.ts';
import * as kinds from '../record-kinds-and-indexes.ts';
import { scanAll } from './scan.ts';

/** Kinds under the key of a scope, besides its memories and turns. */
export const OF_SCOPE: readonly AnyKind[] = [
  kinds.SUMMARIES,
  kinds.CITATIONS,
  kinds.VARIANTS,
  kinds.SEGMENTS,
  kinds.SESSION_ANALYSES,
  kinds.MEMORY_KEYS,
  kinds.SCOPES,
];
/** Kinds made from a scope for one audience. */
export const OF_AUDIENCE: readonly AnyKind[] = [kinds.SUMMARIES, kinds.CITATIONS, kinds.VARIANTS];
/** The Markdown memory of a subject. */
export const OF_SUBJECT: readonly AnyKind[] = [kinds.DOCUMENTS, kinds.PROPOSALS, kinds.SUBJECTS];

/** Where a memory is or was, and the keys that it had there. */
export interface MemoryPlace extends Scope {
  readonly keys: ReadonlySet<string>;
}

export interface Found {
  readonly ids: ErasedIds;
  /** Scopes to delete, with everything that belongs to them. */
  readonly scopes: readonly Scope[];
  readonly sessions: readonly string[];
  /** Turns, with their parts, to erase from a session that stays. */
  readonly turns: readonly Turn[];
  /** Subjects whose Markdown memory is deleted. */
  readonly subjects: readonly string[];
  readonly audiences: readonly string[];
  /** Memories and where they are, including those of which only the history is left. */
  readonly memories: ReadonlyMap<string, MemoryPlace>;
  /** Lines of other subjects' Markdown memories, and the records that contain them. */
  readonly lines: ReadonlySet<string>;
  readonly documents: readonly Document[];
  readonly proposals: readonly Proposal[];
  /** Ids of reviews of deleted records, and of proposals for a deleted scope. */
  readonly reviews: readonly string[];
  readonly apiKeys: readonly string[];
  readonly calls: readonly string[];
  readonly entries: readonly string[];
}

type Place = Pick<Scope, 'layer' | 'scopeId'>;

export async function findErased(
  driver: Driver,
  tenant: string,
  target: PartTarget,
): Promise<Found> {
  const { sessions, openers } = await sessionsOf(driver, tenant, target);
  const scopes = scopesOf(tenant, target, sessions);
  const turn = turnToErase(target);
  const turns = await turnsOf(driver, tenant, turn);
  const turnIds = await readTurnIds(driver, tenant, sessions);
  const memories = await memoriesOf(driver, tenant, target, scopes, sessions);
  const subject = target.kind === 'User' ? subjectKey({ kind: 'user', id: target.id }) : null;
  const files = await filesOf(driver, tenant, {
    subject,
    sources: new Set([...memories.keys(), ...ownMemory(target)]),
    turns: new Set([...turnIds, ...(turn?.ids ?? [])]),
    sessions: new Set(sessions),
    turn,
    openers,
  });
  const own = target.kind === 'User' ? [target.id] : [];
  const reviews = await reviewsOf(driver, tenant, { scopes, memories, turn });
  const cited = citationsOf(turn);
  const names = new Set([...own, ...sessions, ...memories.keys(), ...reviews, ...cited]);
  const naming = await recordsNaming(driver, tenant, target, names, sessions);
  const audiences = [...own.map((id) => `user:${id}`), ...sessions.map((id) => `session:${id}`)];
  const records = await otherRecords(driver, tenant, { scopes, audiences, sessions });
  const subjects = subject === null ? [] : [subject];
  const known = own.length === 0 ? [] : await ownRecords(driver, tenant, own);
  return {
    ids: {
      Memory: [...memories.keys()],
      Turn: [...turnIds, ...turns.map(({ id }) => id)],
      Session: records.sessions,
      User: known,
      Document: files.own,
      Line: [...files.lines],
      Proposal: files.proposals.filter((each) => each.subject === subject).map(({ id }) => id),
      ApiKey: naming.apiKeys,
      Call: naming.calls,
      AuditEntry: naming.entries,
      Record: [...records.others, ...reviews.map((id) => `${kinds.REVIEWS.name} ${id}`)],
    },
    scopes,
    sessions,
    turns,
    subjects,
    audiences,
    memories,
    reviews,
    ...files,
    ...naming,
  };
}

/** Whether only the records of sessions are left, which say whose the rest was. */
export function hasOnlySessions({ ids }: Pick<Found, 'ids'>): boolean {
  return Object.entries(ids).every(([kind, each]) => {
    if (kind === 'Record')
      return each.every((record) => record.startsWith(`${kinds.SESSIONS.name} `));
    return kind === 'Session' || each.length === 0;
  });
}

/** Returns those of the users that have a scope or a Markdown memory. */
async function ownRecords(
  driver: Driver,
  tenant: string,
  users: readonly string[],
): Promise<readonly string[]> {
  const known: string[] = [];
  for (const id of users) {
    const [scope, subject] = await Promise.all([
      driver.get(kinds.SCOPES, [tenant, 'user', id]),
      driver.get(kinds.SUBJECTS, [tenant, subjectKey({ kind: 'user', id })]),
    ]);
    if (scope !== null || subject !== null) known.push(id);
  }
  return known;
}

async function sessionsOf(
  driver: Driver,
  tenant: string,
  target: PartTarget,
): Promise<{ readonly sessions: readonly string[]; readonly openers: ReadonlySet<string> }> {
  if (target.kind === 'Memory') return { sessions: [], openers: new Set() };
  const sessions = target.kind === 'Session' ? [target.id] : [];
  const openers = new Set<string>();
  const ownSession = turnToErase(target)?.sessionId ?? sessions[0];
  for await (const session of scanAll(driver, kinds.SESSIONS, tenant)) {
    const isOwn = session.sessionId === ownSession;
    if (!isOwn && !isOfErasedUser(target, session.identifiers)) continue;
    for (const opener of openersOf(session.identifiers)) openers.add(opener);
    if (!isOwn) sessions.push(session.sessionId);
  }
  return { sessions, openers };
}

function scopesOf(
  tenant: string,
  target: PartTarget,
  sessions: readonly string[],
): readonly Scope[] {
  const ofSessions = sessions.map((scopeId) => ({ tenant, layer: 'session' as const, scopeId }));
  if (target.kind !== 'User') return ofSessions;
  return [{ tenant, layer: 'user', scopeId: target.id }, ...ofSessions];
}

async function readTurnIds(
  driver: Driver,
  tenant: string,
  sessions: readonly string[],
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const sessionId of sessions) {
    const where = kinds.ofSession({ tenant, sessionId }).slice(1);
    for await (const turn of scanAll(driver, kinds.TURNS, tenant, where))
      if (!isErased(turn)) ids.push(turn.id);
  }
  return ids;
}

/** Returns the turn with its parts, also if it was deleted. */
async function turnsOf(
  driver: Driver,
  tenant: string,
  turn: TurnToErase | null,
): Promise<readonly Turn[]> {
  if (turn === null) return [];
  const { sessionId, ids } = turn;
  const where = [...equal({ tenant, sessionId }), ['id', 'in', [...ids]] as const];
  const found = await driver.scan(kinds.TURNS, { index: 'byId', where, limit: ids.size });
  return found.filter((each) => !isErased(each));
}

function citationsOf(turn: TurnToErase | null): readonly string[] {
  if (turn === null) return [];
  const { sessionId, ids } = turn;
  return [...ids].map((id) => citationOf({ sessionId, id }));
}

/** What is known about a memory, from itself or from its history. */
interface Trace extends Derived, Place {
  /** The session whose turns it was extracted from; null if it was not extracted. */
  readonly session: string | null;
  /** The turn of that session. */
  readonly turn: string | null;
  readonly key: string | null;
}

async function memoriesOf(
  driver: Driver,
  tenant: string,
  target: PartTarget,
  scopes: readonly Scope[],
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, MemoryPlace>> {
  const whole = new Set(scopes.map(scopeKey));
  const sessions = new Set(sessionIds);
  const own = ownMemory(target);
  // Included even if it is gone: what a late write made from it is deleted too.
  const roots = new Set(own);
  const derived: Derived[] = [];
  const places = new Map<string, MemoryPlace>();
  const going = turnToErase(target);
  const note = ({ id, sources, session, turn, key, layer, scopeId }: Trace): void => {
    const isOwn = own.has(id) || isTurnToErase(going, { sessionId: session, id: turn });
    const isInside = whole.has(scopeKey({ tenant, layer, scopeId }));
    if (isOwn || isInside || (session !== null && sessions.has(session))) roots.add(id);
    else if (sources.length > 0) derived.push({ id, sources });
    else if (!places.has(id)) return;
    const keys = new Set([...(places.get(id)?.keys ?? []), ...(key === null ? [] : [key])]);
    places.set(id, { tenant, layer, scopeId, keys });
  };
  for await (const memory of scanAll(driver, kinds.MEMORIES, tenant)) {
    const { id, layer, scopeId, key, origin, metadata } = memory;
    const from = origin.channel === 'extraction' ? metadata : null;
    // Whoever erases a memory erases what repeats it; whoever erases its source does not.
    const repeated = target.kind === 'Memory' && memory.isRepeat ? [memory.supersededBy ?? ''] : [];
    const sources = [...origin.sources, ...repeated];
    note({ id, layer, scopeId, key, sources, ...provenanceIn(from) });
  }
  for await (const change of scanAll(driver, kinds.MEMORY_CHANGES, tenant)) {
    const { memoryId: id, layer, scopeId, before } = change;
    const from = provenanceIn(before['metadata']);
    note({ id, layer, scopeId, key: textIn(before, 'key'), sources: [], ...from });
  }
  const gone = withDescendants(roots, derived);
  return new Map([...places].filter(([id]) => gone.has(id)));
}

function ownMemory(target: PartTarget): ReadonlySet<string> {
  return new Set(target.kind === 'Memory' ? [target.id] : []);
}

/** Returns the session and the turn that extraction names in the metadata of a memory. */
export function provenanceIn(metadata: unknown): Pick<Trace, 'session' | 'turn'> {
  return { session: textIn(metadata, 'session'), turn: textIn(metadata, 'source') };
}

function textIn(fields: unknown, name: string): string | null {
  const value = (fields as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  return typeof value === 'string' ? value : null;
}

async function reviewsOf(
  driver: Driver,
  tenant: string,
  {
    scopes,
    memories,
    turn,
  }: Pick<Found, 'scopes' | 'memories'> & { readonly turn: TurnToErase | null },
): Promise<readonly string[]> {
  const whole = new Set(scopes.map(scopeKey));
  const ids: string[] = [];
  for await (const review of scanAll(driver, kinds.REVIEWS, tenant)) {
    const { id, kind, layer, scopeId, sourceId, memoryId, target } = review;
    const isNamed =
      memories.has(sourceId) ||
      (memoryId !== null && memories.has(memoryId)) ||
      (kind === 'Turn' && isTurnToErase(turn, { sessionId: scopeId, id: sourceId }));
    const places = [{ layer, scopeId }, ...(target === null ? [] : [target])];
    if (isNamed || places.some((place) => whole.has(scopeKey({ tenant, ...place })))) ids.push(id);
  }
  return ids;
}

/**
 * Finds what to delete of Markdown memories: all of the subject's, and others' lines that rest on
 * it.
 */
async function filesOf(
  driver: Driver,
  tenant: string,
  of: {
    readonly subject: string | null;
    readonly sources: ReadonlySet<string>;
    /** Ids that callers chose, which mean something only to the subjects of the sessions. */
    readonly turns: ReadonlySet<string>;
    readonly sessions: ReadonlySet<string>;
    readonly turn: TurnToErase | null;
    readonly openers: ReadonlySet<string>;
  },
) {
  const own: string[] = [];
  const roots = new Set(of.sources);
  const derived: Derived[] = [];
  const note = (subject: string, line: Derived, block: string): void => {
    const sources = line.sources.filter((id) => !of.turns.has(id) || of.sources.has(id));
    const isOnTurn = sources.length < line.sources.length && of.openers.has(subject);
    const isOnCited = line.sources.some((source) => {
      const cited = citedTurn(source);
      if (cited === null) return false;
      return of.sessions.has(cited.sessionId) || isTurnToErase(of.turn, cited);
    });
    if (isOnTurn || isOnCited) roots.add(line.id);
    derived.push({ id: line.id, sources });
    // Lines of MEMORY.md may name a whole block.
    if (subject === of.subject) roots.add(line.id).add(block);
  };
  for await (const { id, subject, lines } of scanAll(driver, kinds.DOCUMENTS, tenant)) {
    if (subject === of.subject) own.push(id);
    for (const line of lines) note(subject, line, id);
  }
  for await (const proposal of scanAll(driver, kinds.PROPOSALS, tenant)) {
    for (const line of linesOfProposal(proposal)) note(proposal.subject, line, proposal.id);
  }
  const gone = withDescendants(roots, derived);
  const lines = new Set<string>();
  const documents: Document[] = [];
  for await (const document of scanAll(driver, kinds.DOCUMENTS, tenant)) {
    if (document.subject === of.subject) continue;
    const going = document.lines.filter(({ id }) => gone.has(id));
    if (going.length > 0) documents.push(document);
    for (const { id } of going) lines.add(id);
  }
  const proposals: Proposal[] = [];
  for await (const proposal of scanAll(driver, kinds.PROPOSALS, tenant)) {
    const isOwn = proposal.subject === of.subject;
    const going = linesOfProposal(proposal).filter(({ id }) => gone.has(id));
    if (isOwn || going.length > 0) proposals.push(proposal);
    if (!isOwn) for (const { id } of going) lines.add(id);
  }
  return { own, lines, documents, proposals };
}

async function recordsNaming(
  driver: Driver,
  tenant: string,
  target: PartTarget,
  names: ReadonlySet<string>,
  sessionIds: readonly string[],
) {
  const [apiKeys, calls, entries]: [string[], string[], string[]] = [[], [], []];
  const sessions = new Set(sessionIds);
  for await (const { id, bound } of scanAll(driver, kinds.API_KEYS, tenant)) {
    const isOfSession = bound.sessionId !== undefined && sessions.has(bound.sessionId);
    if (isOfSession || isOfErasedUser(target, bound)) apiKeys.push(id);
  }
  const turn = turnToErase(target);
  const isNaming = (value: unknown) => namesAny(value, names) || namesTurn(value, turn);
  for await (const { key, operationId, answer } of scanAll(driver, kinds.IDEMPOTENCY, tenant)) {
    if (isNaming([operationId, answer])) calls.push(key);
  }
  for await (const { id, ids } of scanAll(driver, kinds.AUDIT_ENTRIES, tenant)) {
    if (isNaming(ids)) entries.push(id);
  }
  return { apiKeys, calls, entries };
}

/** Finds what else belongs to the scopes, and what was made for deleted readers. */
async function otherRecords(
  driver: Driver,
  tenant: string,
  of: Pick<Found, 'scopes' | 'audiences' | 'sessions'>,
) {
  const others: string[] = [];
  const sessions = new Set<string>();
  const note = async (
    kinds: readonly AnyKind[],
    where: readonly FieldCondition[],
  ): Promise<void> => {
    for (const kind of kinds as unknown as readonly RecordKind<object>[]) {
      for await (const record of scanAll(driver, kind, tenant, where)) {
        others.push(`${kind.name} ${keyText(recordKey(kind, record))}`);
      }
    }
  };
  for (const scope of of.scopes) await note(OF_SCOPE, kinds.ofScope(scope).slice(1));
  for (const audience of of.audiences) await note(OF_AUDIENCE, [['audience', '=', audience]]);
  for (const sessionId of of.sessions) {
    await note([kinds.SESSIONS], [['sessionId', '=', sessionId]]);
    const scope = kinds.scopeKeyOf({ tenant, layer: 'session', scopeId: sessionId });
    const known = [
      driver.get(kinds.SESSIONS, [tenant, sessionId]),
      driver.get(kinds.SCOPES, scope),
    ];
    if ((await Promise.all(known)).some((record) => record !== null)) sessions.add(sessionId);
  }
  return { sessions: [...sessions], others };
}

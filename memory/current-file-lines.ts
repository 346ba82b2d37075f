/**
 * Finds the lines of memory files that still hold. Every answer omits a line as soon as a turn that
 * it rests on is deleted, or a memory that it rests on expires, is deleted, is superseded, or gets
 * another content after the line was written.
 */
import { forEachConcurrently } from '#core/chunks-and-pages.ts';
import type { DocumentLine } from '#core/records/document.ts';
import { isDeleted } from '#core/retention/compacted-turn.ts';
import { expiryOf } from '#core/sources/memory-lifecycle.ts';
import { isCurrent, type SourceEnd, type SourceEnds } from '#core/memory-files/restored-lines.ts';
import { citedTurn, type CitedTurn } from '#core/memory-files/turn-citation.ts';
import type { SessionRecord } from '#core/records/session.ts';
import type { Scope } from '#core/scope.ts';
import type { ProviderPorts } from './provider-ports.ts';

/** Maximum concurrent reads of one call; they leave room for those of other calls. */
const READS_AT_ONCE_MAX = 16;
/** Maximum changes of one memory to look through, newest first. */
const CHANGES_SEEN_MAX = 500;

/** The tenant of the lines, and which sources their reader may know of. */
export interface LineReader {
  readonly tenant: string;
  mayReadSession(session: SessionRecord): boolean;
  mayReachScope(scope: Scope): Promise<boolean>;
}

/** Reads for the tenant itself, as a dream does. */
export function tenantReader(tenant: string): LineReader {
  return {
    tenant,
    mayReadSession: () => true,
    mayReachScope: () => Promise.resolve(true),
  };
}

type Ports = Pick<ProviderPorts, 'store' | 'platform'>;

/**
 * Returns for each line whether it holds.
 * @param isValid `isUndeleted` for history, which hides only lines with a deleted source
 */
export async function validLines(
  ports: Ports,
  reader: LineReader,
  lines: readonly DocumentLine[],
  isValid = isCurrent,
): Promise<(line: DocumentLine) => boolean> {
  const ends = await sourceEnds(ports, reader, lines);
  return (line) => isValid(line, ends);
}

/** Returns when the sources of these lines ended. */
export async function sourceEnds(
  ports: Ports,
  reader: LineReader,
  lines: readonly DocumentLine[],
): Promise<SourceEnds> {
  const ends = new Map<string, SourceEnd>();
  const sessions: ReadSessions = new Map();
  const ids = new Set(lines.flatMap(({ sources }) => sources));
  await forEachConcurrently(ids, READS_AT_ONCE_MAX, async (id) => {
    const turn = citedTurn(id);
    const end = await (turn === null
      ? endOfMemory(ports, reader, id)
      : endOfTurn(ports, reader, { ...turn, sessions }));
    if (end !== null) ends.set(id, end);
  });
  return ends;
}

/** The end of a source that no longer says anything: no line on it holds. */
const FOREVER: SourceEnd = { at: Infinity, supersededBy: null };
const DELETED: SourceEnd = { ...FOREVER, isDeleted: true };

/** Sessions that one call has read, by id: many lines cite turns of the same one. */
type ReadSessions = Map<string, Promise<SessionRecord | null>>;

async function endOfTurn(
  { store }: Pick<Ports, 'store'>,
  { tenant, ...reader }: LineReader,
  { sessionId, id, sessions }: CitedTurn & { readonly sessions: ReadSessions },
): Promise<SourceEnd | null> {
  const reading = sessions.get(sessionId) ?? store.sessions.get(tenant, sessionId);
  sessions.set(sessionId, reading);
  const session = await reading;
  if (session === null || !reader.mayReadSession(session)) return null;
  const turn = await store.turns.get({ tenant, sessionId }, id);
  return turn !== null && isDeleted(turn) ? DELETED : null;
}

async function endOfMemory(
  { store, platform }: Ports,
  { tenant, ...reader }: LineReader,
  id: string,
): Promise<SourceEnd | null> {
  const memory = await store.memories.get(tenant, id);
  if (memory !== null) {
    const isExpired = (expiryOf(memory) ?? Infinity) <= platform.clock();
    if (memory.version === 1 && !isExpired) return null;
    if (!(await reader.mayReachScope(memory))) return null;
    // What was superseded has an end as well.
    if (memory.state === 'superseded' || isExpired) {
      return { ...FOREVER, supersededBy: memory.supersededBy };
    }
  }
  const page = { beforeVersion: null, limit: memory === null ? 1 : CHANGES_SEEN_MAX };
  const changes = await store.memories.history({ tenant, id }, page);
  if (memory === null) {
    const [last] = changes;
    if (last?.action !== 'Deleted') return null;
    return (await reader.mayReachScope({ ...last, tenant })) ? DELETED : null;
  }
  const changed = changes.find(
    ({ action, before }) => action === 'Updated' && before['contentHash'] !== undefined,
  );
  return changed === undefined ? null : { at: changed.at, supersededBy: null };
}

/**
 * Lines of memory files that still hold: a line leaves every answer at once when a turn that it
 * rests on was deleted, or a memory expired, was deleted, superseded or given another content after
 * the line was written.
 */
import type { DocumentLine } from '#core/records/document.ts';
import { isDeleted } from '#core/retention/compacted-turn.ts';
import { endOf } from '#core/sources/memory-state.ts';
import { isCurrent, type SourceEnd, type SourceEnds } from '#core/memory-files/restored-lines.ts';
import { citedTurn, type CitedTurn } from '#core/memory-files/turn-citation.ts';
import type { ApiPorts } from './api-ports.ts';
import { mayReach, mayReadSession, type Principal } from './authorize.ts';

/** Reads of one call at the same time; they leave room for those of others. */
const READS_AT_ONCE_MAX = 16;
/** Changes of one memory that are looked through, the newest first. */
const CHANGES_SEEN_MAX = 500;

/** Whose lines they are, and who reads them. */
export interface LinesOf {
  readonly tenant: string;
  readonly principal: Principal;
}

/** Returns for each line whether it holds. */
export async function currentLines(
  ports: Pick<ApiPorts, 'store' | 'platform'>,
  of: LinesOf,
  lines: readonly DocumentLine[],
): Promise<(line: DocumentLine) => boolean> {
  const ends = await sourceEnds(ports, of, lines);
  return (line) => isCurrent(line, ends);
}

/** When the sources of these lines ended. */
export async function sourceEnds(
  ports: Pick<ApiPorts, 'store' | 'platform'>,
  of: LinesOf,
  lines: readonly DocumentLine[],
): Promise<SourceEnds> {
  const ends = new Map<string, SourceEnd>();
  const left = [...new Set(lines.flatMap(({ sources }) => sources))];
  const lane = async (): Promise<void> => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const end = await lineEnd(ports, of, id);
      if (end !== null) ends.set(id, end);
    }
  };
  await Promise.all(Array.from({ length: Math.min(READS_AT_ONCE_MAX, left.length) }, lane));
  return ends;
}

/** Of what says nothing any more. */
const FOREVER: SourceEnd = { at: Infinity, supersededBy: null };

/** Null for what says the same as ever, and for what the caller may not know of. */
async function lineEnd(
  ports: Pick<ApiPorts, 'store' | 'platform'>,
  of: LinesOf,
  id: string,
): Promise<SourceEnd | null> {
  const turn = citedTurn(id);
  return turn === null ? endOfMemory(ports, of, id) : endOfTurn(ports, of, turn);
}

async function endOfTurn(
  { store }: Pick<ApiPorts, 'store'>,
  { tenant, principal }: LinesOf,
  { sessionId, id }: CitedTurn,
): Promise<SourceEnd | null> {
  const session = await store.sessions.get(tenant, sessionId);
  if (session === null || !mayReadSession(principal, session)) return null;
  const turn = await store.turns.get({ tenant, sessionId }, id);
  return turn !== null && isDeleted(turn) ? FOREVER : null;
}

async function endOfMemory(
  { store, platform }: Pick<ApiPorts, 'store' | 'platform'>,
  { tenant, principal }: LinesOf,
  id: string,
): Promise<SourceEnd | null> {
  const memory = await store.memories.get(tenant, id);
  if (memory !== null) {
    const isExpired = (endOf(memory) ?? Infinity) <= platform.clock();
    if (memory.version === 1 && !isExpired) return null;
    if (!(await mayReach(store, principal, memory))) return null;
    // What was superseded has an end as well.
    if (memory.state === 'superseded') return { ...FOREVER, supersededBy: memory.supersededBy };
    if (isExpired) return FOREVER;
  }
  const page = { beforeVersion: null, limit: memory === null ? 1 : CHANGES_SEEN_MAX };
  const changes = await store.memories.history({ tenant, id }, page);
  if (memory === null) {
    const [last] = changes;
    if (last?.action !== 'Deleted') return null;
    return (await mayReach(store, principal, { ...last, tenant })) ? FOREVER : null;
  }
  const changed = changes.find(
    ({ action, before }) => action === 'Updated' && before['contentHash'] !== undefined,
  );
  return changed === undefined ? null : { at: changed.at, supersededBy: null };
}

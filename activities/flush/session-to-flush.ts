/** The session of a flush, and the turns that it takes. */
import { isDeleted } from '#core/retention/compacted-turn.ts';
import { saidIn } from '#core/sessions/turn-parts.ts';
import type { FlushInput } from '#core/flush/flush-contract.ts';
import type { PendingFlush, SessionRecord } from '#core/records/session.ts';
import type { Turn } from '#core/records/turn.ts';
import { turnSource } from '#core/sources/source.ts';
import {
  hasSpeaker,
  type ModelExtraction,
  type ExtractionPorts,
} from '../extraction/model-extraction.ts';
import type { RefreshPorts } from '../refresh-ports.ts';

/** Maximum turns of one portion; the next portion takes the rest. */
export const TURNS_PER_FLUSH_MAX = 200;

/** A session with turns that wait to be flushed. */
export type WaitingSession = SessionRecord & { readonly flush: PendingFlush };

/** Returns the session of a flush; null if nothing waits under the flush's id. */
export async function readWaitingSession(
  { store }: Pick<FlushPorts, 'store'>,
  { tenant, flushId }: FlushInput,
): Promise<WaitingSession | null> {
  const session = await store.sessions.ofFlush(tenant, flushId);
  return session !== null && isWaiting(session, flushId) ? session : null;
}

/**
 * Writes what `change` returns for the session of a flush; null leaves the session as it is.
 * Returns what was written; null if nothing was, or if nothing waits under the id anymore.
 * @throws VarveError CONFLICT, retryable, while others keep writing
 */
export async function changeWaitingSession(
  ports: Pick<FlushPorts, 'store'>,
  { tenant, flushId }: FlushInput,
  change: (session: WaitingSession) => SessionRecord | null,
): Promise<SessionRecord | null> {
  const waiting = await readWaitingSession(ports, { tenant, flushId });
  if (waiting === null) return null;
  return ports.store.sessions.change(tenant, waiting.sessionId, (session) =>
    session !== null && isWaiting(session, flushId) ? change(session) : null,
  );
}

/** Returns the turns of a flush that still have their text, in order, without tool calls. */
export async function readTurnsOfFlush(
  { store }: Pick<FlushPorts, 'store'>,
  session: WaitingSession,
): Promise<readonly Turn[]> {
  const turns = await readAllTurnsOfFlush(store, session);
  return turns
    .filter(({ compactedAt }) => compactedAt === null)
    .map((turn) => ({ ...turn, content: saidIn(turn) }));
}

/** Returns the ids of the deleted turns among those of a flush. */
export async function readDeletedTurnIds(
  { store }: Pick<FlushPorts, 'store'>,
  session: WaitingSession,
): Promise<readonly string[]> {
  const turns = await readAllTurnsOfFlush(store, session);
  return turns.filter(isDeleted).map(({ id }) => id);
}

async function readAllTurnsOfFlush(
  { turns }: FlushPorts['store'],
  { tenant, sessionId, flushedTo, flush: { through } }: WaitingSession,
): Promise<readonly Turn[]> {
  const page = { after: flushedTo, limit: TURNS_PER_FLUSH_MAX };
  const found = await turns.page({ tenant, sessionId }, page);
  return found.filter(({ sequence }) => sequence <= (through ?? 0));
}

function isWaiting(session: SessionRecord, flushId: string): session is WaitingSession {
  return session.flush?.id === flushId;
}

/** The ports of flushes. */
export type FlushPorts = ExtractionPorts & Pick<RefreshPorts, 'calendar'>;

/** Returns what a model reads of the turns of a flush, whose id is the key of its answers. */
export function saidInTurns(
  { tenant, flush }: WaitingSession,
  turns: readonly Turn[],
): Omit<ModelExtraction, 'scopes'> {
  return {
    batch: { tenant, batchId: flush.id },
    messages: turns,
    sources: turns.filter(hasSpeaker).map(turnSource),
    isForDailyFile: true,
  };
}

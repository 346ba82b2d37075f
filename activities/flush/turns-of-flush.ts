/** The session of a flush, and the turns that it takes. */
import { saidIn } from '#core/sessions/long-turn-parts.ts';
import type { Message } from '#core/extraction/extract-statements.ts';
import type { FlushInput } from '#core/flush/flush-contract.ts';
import type { MemoryProvider } from '#core/ports/memory-provider.ts';
import type { RefreshTrigger } from '#core/ports/refresh-trigger.ts';
import { answeredItems, type AnswerFact } from '#core/prompt/parse-answer.ts';
import type { PendingFlush, SessionRecord } from '#core/records/session.ts';
import type { Turn } from '#core/records/turn.ts';
import type { BatchKey } from '../load-batch.ts';
import type { RefreshPorts } from '../refresh-ports.ts';

/** Turns of one portion; what is left is the next one's. */
export const TURNS_PER_FLUSH_MAX = 200;

/** A session of which turns wait. */
export type WaitingSession = SessionRecord & { readonly flush: PendingFlush };

/** Null where nothing waits under the id of the flush. */
export async function readWaitingSession(
  { store }: Pick<FlushPorts, 'store'>,
  { tenant, flushId }: FlushInput,
): Promise<WaitingSession | null> {
  const session = await store.sessions.ofFlush(tenant, flushId);
  return session !== null && isWaiting(session, flushId) ? session : null;
}

/**
 * Writes what `change` makes of it; null leaves it as it is. Answers what was written, null where
 * nothing was, or nothing waits under the id any more.
 * @throws VarveError CONFLICT, retryable, where others write all the time
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

/** Those of the flush that still have their words, in their order, without calls of tools. */
export async function turnsOf(
  { store }: Pick<FlushPorts, 'store'>,
  { tenant, sessionId, flushedTo, flush: { through } }: WaitingSession,
): Promise<readonly Turn[]> {
  const page = { after: flushedTo, limit: TURNS_PER_FLUSH_MAX };
  const turns = await store.turns.page({ tenant, sessionId }, page);
  return turns
    .filter(({ sequence, compactedAt }) => compactedAt === null && sequence <= (through ?? 0))
    .map((turn) => ({ ...turn, content: saidIn(turn) }));
}

/** What tools were given and answered has no speaker. */
export function hasSpeaker({ role, content }: Turn): boolean {
  return (role === 'user' || role === 'assistant') && content !== '';
}

export function messageOf({ id, role, speaker, content, at, utcOffset }: Turn): Message {
  return { id, role, speaker, content, at, utcOffset };
}

function isWaiting(session: SessionRecord, flushId: string): session is WaitingSession {
  return session.flush?.id === flushId;
}

/** What flushes need of the world. */
export interface FlushPorts extends Pick<
  RefreshPorts,
  'store' | 'platform' | 'models' | 'tokens' | 'calendar' | 'metrics'
> {
  readonly provider: MemoryProvider;
  readonly refreshTrigger: Pick<RefreshTrigger, 'notify'>;
}

/** The only item of the question. */
export const FLUSH_ITEM = 'i1';

/** Under which the answers of a flush are stored. */
export function batchOfFlush({ tenant, flush }: WaitingSession): BatchKey {
  return { tenant, batchId: flush.id };
}

/** Its facts; null where there is no answer, or none that can be used. */
export async function answeredFacts(
  { store }: Pick<FlushPorts, 'store'>,
  { tenant, flush }: WaitingSession,
): Promise<readonly AnswerFact[] | null> {
  const answers = await store.answers.ofBatch(tenant, flush.id);
  const items = answers.flatMap(({ text }) => answeredItems(text ?? '').get(FLUSH_ITEM) ?? []);
  const item = items.at(-1);
  if (item?.facts == null) return null;
  return item.facts.length === 0 && item.malformed > 0 ? null : item.facts;
}

/** Activity: notes that the turns of a flush were handed on. */
import type { FlushInput } from '#core/flush/flush-contract.ts';
import { flushEnded } from '#core/flush/pending-flush.ts';
import type { FlushPorts } from './flush-ports.ts';
import { changeWaiting, waitingSession } from './flush-session.ts';

/** Answers the id of what came since; null where nothing did. */
export async function endFlush(
  ports: Pick<FlushPorts, 'store' | 'platform'>,
  input: FlushInput,
): Promise<{ readonly next: string | null }> {
  const { store, platform } = ports;
  const session = await waitingSession(ports, input);
  if (session === null) return { next: null };
  const { tenant, sessionId } = session;
  const lastSequence = (await store.turns.latest({ tenant, sessionId }, 1)).at(-1)?.sequence ?? 0;
  const parts = { lastSequence, nextId: platform.newId(), now: platform.clock() };
  await store.answers.close(tenant, input.flushId);
  const ended = await changeWaiting(ports, input, (current) => flushEnded(current, parts));
  return { next: ended?.flush?.id ?? null };
}

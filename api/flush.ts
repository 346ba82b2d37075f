/** Flushes sessions: keeps what their turns say that lasts, which is deleted with the turns. */
import { endOfSession } from '#core/sessions/session-end.ts';
import { flushNow } from '#core/flush/pending-flush.ts';
import { policyInForce, sessionSilenceOf } from '#core/policy/policy-in-force.ts';
import type { ApiPorts } from './api-ports.ts';
import { authorize, type Principal, authorizedSession } from './principal.ts';
import type { FlushConversation, FlushedConversation } from './schemas/conversation.ts';

const NOTHING: FlushedConversation = { state: 'Done', turns: 0, results: [], daily: null };

/**
 * Processes the turns since the last flush: in this process, or in a workflow run if a worker's
 * model reads them. A repeated call finishes a failed one; turns that took effect change nothing.
 * @throws VarveError FORBIDDEN, CONFLICT, PROVIDER_ERROR if the workflows can't be reached
 */
export async function flushConversation(
  ports: ApiPorts,
  principal: Principal,
  { tenant, sessionId }: FlushConversation,
): Promise<FlushedConversation> {
  authorize(principal, { tenant, identifiers: { sessionId } });
  const session = await authorizedSession(ports, principal, { tenant, sessionId });
  // A session without an owner waits: a later append may name its owner.
  if (session === null || session.opener === '') return NOTHING;
  const page = { after: session.flushedTo, limit: 1 };
  const waiting = await ports.store.turns.page({ tenant, sessionId }, page);
  if (waiting.length === 0) return NOTHING;
  const { clock, newId } = ports.platform;
  const policy = await policyInForce(ports.store.policies, tenant);
  const silenceMs = sessionSilenceOf(policy);
  const announcement = { id: newId(), now: clock(), layers: principal.layers };
  const flushed: { id: string | null } = { id: null };
  await ports.store.sessions.change(tenant, sessionId, (before) => {
    if (before === null) return null;
    const isOver = endOfSession(before, { now: announcement.now, silenceMs }) !== null;
    const heading = isOver ? 'Session' : 'Trimmed Context';
    const flush = flushNow(before.flush, announcement, heading);
    flushed.id = flush.id;
    return { ...before, flush, version: before.version + 1 };
  });
  if (flushed.id === null) return NOTHING;
  const input = { tenant, flushId: flushed.id };
  const { runs } = ports.flushes;
  if (policy.extraction !== undefined && runs !== null) {
    // Workers call models, and a call takes long. The tick also finds pending turns.
    await runs.start(input);
    return { ...NOTHING, state: 'Started' };
  }
  const { turns, results, daily } = await ports.flushes.here(input);
  return { state: 'Done', turns, results: [...results], daily };
}

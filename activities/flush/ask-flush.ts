/** Activity: asks a model which lasting things a session's turns say that are not known yet. */
import type { AskReport, FlushInput } from '#core/flush/flush-contract.ts';
import { policyToRefreshBy } from '#core/policy/policy-in-force.ts';
import { scopesOfSession } from '#memory/memories-of-session.ts';
import { askModel } from '../extraction/model-extraction.ts';
import type { ActivityCall } from '../refresh-ports.ts';
import { unlessErased } from '../write-unless-erased.ts';
import {
  type FlushPorts,
  readTurnsOfFlush,
  readWaitingSession,
  saidInTurns,
} from './session-to-flush.ts';

const UNANSWERED: AskReport = { kind: 'Unanswered', inputTokens: 0, outputTokens: 0 };

/** @throws VarveError what the model throws, and RATE_LIMITED with too many open reservations */
export async function askFlush(
  given: FlushPorts,
  input: FlushInput & { readonly model: string },
  call: ActivityCall,
): Promise<AskReport> {
  const ports = await unlessErased(given, input.tenant);
  const session = await readWaitingSession(ports, input);
  const policy = await policyToRefreshBy(ports.store.policies, input.tenant);
  const model = ports.models.byName(input.model);
  if (session === null || policy === null || model === undefined) return UNANSWERED;
  const { layers } = session.flush;
  const scopes = await scopesOfSession(ports.store, session);
  const reading = {
    ...saidInTurns(session, await readTurnsOfFlush(ports, session)),
    scopes: scopes.filter(({ layer }) => layers === null || layers.includes(layer)),
  };
  const asked = await askModel(ports, reading, { model, policy, call });
  if (asked.kind !== 'Answered') return UNANSWERED;
  return { kind: 'Answered', ...(asked.usage ?? { inputTokens: 0, outputTokens: 0 }) };
}

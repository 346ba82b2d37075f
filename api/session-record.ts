/** The record of a session, for who may read it. */
import type { SessionRecord } from '#core/records/session.ts';
import type { ApiPorts } from './api-ports.ts';
import { authorizeSession, type Principal } from './authorize.ts';

/** @throws VarveError FORBIDDEN for another's session, in the words of one that is not there */
export async function authorizedSession(
  { store: { sessions } }: ApiPorts,
  principal: Principal,
  { tenant, sessionId }: { tenant: string; sessionId: string },
): Promise<SessionRecord | null> {
  const known = await sessions.get(tenant, sessionId);
  if (known !== null) authorizeSession(principal, known);
  return known;
}

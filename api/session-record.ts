/** The record of a session: read by who may, and written against others. */
import { changeRecord } from '#core/compare-and-set.ts';
import type { SessionRecord } from '#core/records/session.ts';
import type { ApiPorts } from './ports.ts';
import { authorizeSession, type Principal } from './principal.ts';

/** Tries against others who write the record of the same session. */
const SESSION_TRIES_MAX = 32;

/** Writes the session's record by compare-and-set, first on what is known of it, and answers it. */
export async function changeSession(
  { store: { sessions } }: ApiPorts,
  {
    tenant,
    sessionId,
    change,
    known,
  }: {
    tenant: string;
    sessionId: string;
    change: (before: SessionRecord | null) => SessionRecord | null;
    /** As it was read before; absent where it was not. */
    known?: SessionRecord | null;
  },
): Promise<SessionRecord | null> {
  let first = known;
  return changeRecord(
    {
      async read() {
        const found = first === undefined ? await sessions.get(tenant, sessionId) : first;
        first = undefined;
        return found;
      },
      change,
      write: (after) => sessions.put(after),
    },
    { triesMax: SESSION_TRIES_MAX, message: 'Others kept writing to the session; try again.' },
  );
}

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

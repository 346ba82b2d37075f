/** Which identifiers open a session to a later one, and whose session it is. */
import { VarveError } from '../errors.ts';
import type { Identifiers } from '../identifiers.ts';
import type { Layer } from '../layer.ts';
import type { SessionRecord } from '../records/session.ts';

/** The layers that a conversation can belong to, most private first. */
const OPENERS = [
  ['user', 'userId'],
  ['agent', 'agentId'],
  ['project', 'projectId'],
] as const;

/**
 * Returns what opens a session with these identifiers. A session of a user is open only to that
 * user: an agent or a project that serves many people must not reveal to one what another said.
 */
export function openerOf(identifiers: Identifiers): string {
  const scope = openingScope(identifiers);
  return scope === null ? '' : `${scope.layer}/${scope.scopeId}`;
}

/** Returns the scope whose id opens a session with these identifiers; null if none does. */
export function openingScope(
  identifiers: Identifiers,
): { readonly layer: Layer; readonly scopeId: string } | null {
  for (const [layer, name] of OPENERS) {
    const scopeId = identifiers[name];
    if (scopeId !== undefined) return { layer, scopeId };
  }
  return null;
}

/** Returns every opener that a caller with these identifiers has. */
export function openersOf(identifiers: Identifiers): readonly string[] {
  return OPENERS.flatMap(([layer, name]) => {
    const id = identifiers[name];
    return id === undefined ? [] : [`${layer}/${id}`];
  });
}

/**
 * Requires that a call names no other user than its session. If two users shared a session name,
 * each would see what the other said.
 * @throws VarveError FORBIDDEN if the call names another user
 */
export function requireSameUser(
  { sessionId, identifiers }: Pick<SessionRecord, 'sessionId' | 'identifiers'>,
  userId: string | undefined,
): void {
  if (userId === undefined || (identifiers.userId ?? userId) === userId) return;
  throw new VarveError(
    'FORBIDDEN',
    `The session ${JSON.stringify(sessionId)} belongs to a user other than ` +
      `${JSON.stringify(userId)}. Give each conversation a name of its own, such as a UUID. In a ` +
      'conversation between several people, set one userId, and name the person who speaks in ' +
      'the speaker of each turn.',
  );
}

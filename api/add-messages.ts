/**
 * What messages say that lasts, kept as memories: extracted, compared with what the scope knows,
 * and added, put in place of it, or left (memory/keep-statements.ts).
 */
import { VarveError } from '#core/errors.ts';
import { requireSaidByNow } from '#core/said-at.ts';
import { extract } from '#core/extraction/extract.ts';
import { keepStatements } from '#memory/keep-statements.ts';
import type { ApiPorts } from './api-ports.ts';
import { authorize, authorizedScope, type Principal } from './authorize.ts';
import type { AddMessages, AddMessagesAnswer } from './schemas/memory.ts';

/** @throws VarveError MISSING_IDENTIFIER, FORBIDDEN */
export async function addMessages(
  ports: ApiPorts,
  principal: Principal,
  { tenant, identifiers, messages, metadata = {}, expiresAt }: AddMessages,
): Promise<AddMessagesAnswer> {
  authorize(principal, { tenant, identifiers });
  const { userId, agentId, projectId } = identifiers;
  if (userId === undefined && agentId === undefined && projectId === undefined) {
    throw new VarveError(
      'MISSING_IDENTIFIER',
      'Name userId, agentId or projectId: what the messages say is kept in one of their layers.',
      { details: { identifiers: ['userId', 'agentId', 'projectId'] } },
    );
  }
  const now = ports.platform.clock();
  requireSaidByNow('messages', messages, now);
  const extracted = extract(
    messages.map(({ id, role, speaker, content, at }) => ({
      id: id ?? ports.platform.newId(),
      role,
      speaker: speaker ?? null,
      content,
      ...(at ?? { at: now }),
    })),
  );
  const mayWrite: Parameters<typeof keepStatements>[1]['mayWrite'] = (scope) => {
    authorizedScope(principal, scope);
    return true;
  };
  const own = { metadata, expiresAt: expiresAt ?? null };
  const keeping = { tenant, identifiers, by: principal.name, mayWrite, ...own };
  return { results: await keepStatements(ports, keeping, extracted) };
}

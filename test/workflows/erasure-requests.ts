/** A person about whom a tenant has data, and requests to erase it. */
import { OPERATIONS } from '#api/operations/table.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { redactedTarget } from '#core/erasure/erasure-receipt.ts';
import type { ErasureTarget } from '#core/records/erasure.ts';
import { MARK, SESSION, USER } from '../conformance/erasure-harness.ts';
import type { RetentionStack } from './retention-fixture.ts';

export const PERSON: ErasureTarget = { kind: 'User', id: USER };

/** In a layer of its own, in a session, and in a summary; another person stays. */
export async function fillPerson({ ports, tenant, talk }: RetentionStack): Promise<void> {
  const add = (userId: string, content: string) =>
    OPERATIONS.memory.add.call(ports, LOCAL_OPERATOR, {
      tenant,
      layer: 'user',
      identifiers: { userId },
      content,
    });
  await add('bob', 'Bob likes tulips.');
  await add(USER, `The garden of ${MARK}first is in Hamburg.`);
  const turns = [{ role: 'user' as const, content: `I live in ${MARK}town.` }];
  const session = { tenant, sessionId: SESSION, identifiers: { userId: USER } };
  await OPERATIONS.conversation.append.call(ports, LOCAL_OPERATOR, { ...session, turns });
  // Makes the summaries of what is there.
  await talk(tenant, []);
}

/** What a caller's request leaves in the store before anything is done; answers its id. */
export async function beginErasure(
  { parts: { store, platform }, tenant }: RetentionStack,
  target = PERSON,
): Promise<string> {
  const id = platform.newId();
  const of = redactedTarget(platform.digest, id, target);
  const requestedAt = platform.clock();
  const begun = { id, target, of, by: 'test', again: null, requestedAt, erased: [] };
  await store.erasures.note(tenant, begun);
  return id;
}

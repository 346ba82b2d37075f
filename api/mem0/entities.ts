/** Users, agents, apps and runs that there are memories of. */
import { VarveError } from '#core/errors.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { parseInput } from '../parse.ts';
import { authorizeTenant } from '../principal.ts';
import { selectionsFor, type Mem0Call } from './call.ts';
import { ENTITIES, ENTITY_NAMES } from './filters.ts';
import { linksOf, removeSelected } from './memories.ts';
import { EntitiesQuery, Nothing } from './wire.ts';

const SCOPES_PER_PAGE = 500;
const SCOPES_MAX = 10_000;

/** By layer what mem0 calls it: `user_id` is the id of a `user`. */
const TYPES = new Map(
  ENTITY_NAMES.map((name) => [ENTITIES[name].layer as string, name.replace('_id', '')] as const),
);

/** Not for a key that speaks for somebody. @throws VarveError FORBIDDEN */
export async function listEntities({ ports, principal, tenant, query }: Mem0Call) {
  const asked = parseInput(EntitiesQuery, query);
  authorizeTenant(principal, tenant);
  const leave = ports.pace?.enter(principal);
  try {
    const found: ScopeRecord[] = [];
    let last: ScopeRecord | undefined;
    do {
      const page = await ports.store.scopes.list(tenant, SCOPES_PER_PAGE, last);
      found.push(...page.filter(({ layer, sourceCount }) => TYPES.has(layer) && sourceCount > 0));
      last = page.length < SCOPES_PER_PAGE ? undefined : page.at(-1);
    } while (last !== undefined && found.length < SCOPES_MAX);
    const end = asked.page * asked.page_size;
    const results = found
      .slice(end - asked.page_size, end)
      .map(({ layer, scopeId, sourceCount }) => ({
        id: scopeId,
        name: scopeId,
        type: TYPES.get(layer),
        total_memories: sourceCount,
      }));
    return { count: found.length, ...linksOf(asked, found.length), results };
  } finally {
    leave?.();
  }
}

/** Deletes all memories of one, as `delete_all` by its id does. */
export async function removeEntity(call: Mem0Call) {
  parseInput(Nothing, call.query);
  const { type = '', name = '' } = call.params;
  const entity = ENTITY_NAMES.find((each) => each === `${type}_id`);
  if (entity === undefined) {
    const types = [...TYPES.values()].join(', ');
    throw new VarveError('INVALID_INPUT', `type: expected one of ${types}.`);
  }
  for (const each of selectionsFor(call, { [entity]: name })) await removeSelected(call, each);
  return { message: 'Entity deleted successfully!' };
}

/** The paths that mem0's clients call, in all three versions of its API that they use. */
import { VarveError } from '#core/errors.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { scopePages } from '#core/refresh/record-pages.ts';
import { parseInput } from '../parse-input.ts';
import { authorizeTenant } from '../principal.ts';
import { pathParams } from '../rest/routes.ts';
import { type Mem0Call, selectionsFor } from './call.ts';
import { ENTITIES, ENTITY_NAMES } from './filters.ts';
import * as calls from './memory-calls.ts';
import { EntitiesQuery, Nothing } from './request-bodies.ts';

type Handler = (call: Mem0Call) => Promise<unknown>;

/** Returns the tenant of a client, with placeholders for billing and mail. */
const ping: Handler = ({ tenant }) =>
  Promise.resolve({ status: 'ok', org_id: tenant, project_id: tenant, user_email: null });

/** By method and path; names in braces are parameters. */
const HANDLERS: Readonly<Record<string, Handler>> = {
  'GET /v1/ping': ping,
  'POST /v3/memories/add': calls.add,
  'POST /v1/memories': calls.add,
  'POST /v3/memories/search': calls.search,
  'POST /v2/memories/search': calls.search,
  'POST /v1/memories/search': calls.searchAsList,
  'POST /v3/memories': calls.list,
  'POST /v2/memories': calls.list,
  'GET /v1/memories': calls.listAsList,
  'DELETE /v1/memories': calls.removeAll,
  'GET /v1/memories/{id}': calls.get,
  'PUT /v1/memories/{id}': calls.update,
  'DELETE /v1/memories/{id}': calls.remove,
  'GET /v1/memories/{id}/history': calls.history,
  'PUT /v1/batch': calls.updateMany,
  'DELETE /v1/batch': calls.removeMany,
  'GET /v1/entities': listEntities,
  'DELETE /v1/entities/{type}/{name}': removeEntity,
  'DELETE /v2/entities/{type}/{name}': removeEntity,
};

export const MEM0_ROUTES = Object.keys(HANDLERS);

interface Mem0Route {
  readonly handler: Handler;
  readonly params: Readonly<Record<string, string>>;
}

/** Returns the route, or the methods that the path takes; no methods for an unknown path. */
export function matchMem0(method: string, path: string): Mem0Route | readonly string[] {
  // mem0's clients end a path with a slash.
  const pathname = path.replace(/\/$/u, '');
  const given = pathname.split('/');
  const found = Object.entries(HANDLERS).flatMap(([route, handler]) => {
    const [taken = '', pattern = ''] = route.split(' ');
    const params = pathParams(pattern.split('/'), given);
    return params === null ? [] : [{ taken, handler, params }];
  });
  const match = found.find(({ taken }) => taken === method);
  return match ?? [...new Set(found.map(({ taken }) => taken))];
}

const SCOPES_MAX = 10_000;

/** mem0's name for each layer: `user_id` is the id of a `user`. */
const TYPES = new Map(
  ENTITY_NAMES.map((name) => [ENTITIES[name].layer as string, name.replace('_id', '')] as const),
);

/** Refuses a key that is bound to identifiers. @throws VarveError FORBIDDEN */
async function listEntities({ ports, principal, tenant, query }: Mem0Call) {
  const asked = parseInput(EntitiesQuery, query);
  authorizeTenant(principal, tenant);
  const leave = ports.callLimiter?.enter(principal);
  try {
    const found: ScopeRecord[] = [];
    for await (const page of scopePages(ports.store.scopes, tenant)) {
      // Deleted turns stay counted, without text.
      found.push(...page.filter(({ layer, sourceBytes }) => TYPES.has(layer) && sourceBytes > 0));
      if (found.length >= SCOPES_MAX) break;
    }
    // A client that resets everything asks once, without a page.
    const isWhole = query['page'] === undefined && query['page_size'] === undefined;
    const page = isWhole ? { page: 1, page_size: found.length } : asked;
    const end = page.page * page.page_size;
    const results = found
      .slice(end - page.page_size, end)
      .map(({ layer, scopeId, sourceCount }) => ({
        id: scopeId,
        name: scopeId,
        type: TYPES.get(layer),
        total_memories: sourceCount,
      }));
    return { count: found.length, ...calls.pageLinks(page, found.length), results };
  } finally {
    leave?.();
  }
}

/** Deletes all memories of one entity, as `delete_all` does with its id, and the turns of a run. */
async function removeEntity(call: Mem0Call) {
  parseInput(Nothing, call.query);
  const { type = '', name = '' } = call.params;
  const entity = ENTITY_NAMES.find((each) => each === `${type}_id`);
  if (entity === undefined) {
    const types = [...TYPES.values()].join(', ');
    throw new VarveError('INVALID_INPUT', `type: expected one of ${types}.`);
  }
  for (const each of selectionsFor(call, { [entity]: name }))
    await calls.removeSelected(call, each);
  if (entity === 'run_id') {
    await call.calls.conversation.delete({ tenant: call.tenant, sessionId: name });
  }
  return { message: 'Entity deleted successfully!' };
}

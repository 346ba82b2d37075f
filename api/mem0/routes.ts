/** The paths that mem0's clients call, of all three versions of its API that they use. */
import { pathParams } from '../rest/routes.ts';
import type { Mem0Call } from './call.ts';
import { listEntities, removeEntity } from './entities.ts';
import {
  add,
  get,
  history,
  list,
  listAsList,
  remove,
  removeAll,
  removeMany,
  search,
  searchAsList,
  update,
  updateMany,
} from './memories.ts';

type Handler = (call: Mem0Call) => Promise<unknown>;

/** Which tenant a client is in; nothing to pay, and nobody's mail. */
const ping: Handler = ({ tenant }) =>
  Promise.resolve({ status: 'ok', org_id: tenant, project_id: tenant, user_email: null });

/** By method and path; a name in braces is a parameter. */
const HANDLERS: Readonly<Record<string, Handler>> = {
  'GET /v1/ping': ping,
  'POST /v3/memories/add': add,
  'POST /v1/memories': add,
  'POST /v3/memories/search': search,
  'POST /v2/memories/search': search,
  'POST /v1/memories/search': searchAsList,
  'POST /v3/memories': list,
  'POST /v2/memories': list,
  'GET /v1/memories': listAsList,
  'DELETE /v1/memories': removeAll,
  'GET /v1/memories/{id}': get,
  'PUT /v1/memories/{id}': update,
  'DELETE /v1/memories/{id}': remove,
  'GET /v1/memories/{id}/history': history,
  'PUT /v1/batch': updateMany,
  'DELETE /v1/batch': removeMany,
  'GET /v1/entities': listEntities,
  'DELETE /v1/entities/{type}/{name}': removeEntity,
  'DELETE /v2/entities/{type}/{name}': removeEntity,
};

export const MEM0_ROUTES = Object.keys(HANDLERS);

export interface Mem0Route {
  readonly handler: Handler;
  readonly params: Readonly<Record<string, string>>;
}

/** The route, or the methods that the path takes; none where there is no such path. */
export function matchMem0(method: string, path: string): Mem0Route | readonly string[] {
  // mem0's clients end a path with a slash.
  const pathname = path.replace(/\/$/u, '');
  const found = Object.entries(HANDLERS).flatMap(([route, handler]) => {
    const [taken = '', pattern = ''] = route.split(' ');
    const params = pathParams(pattern, pathname);
    return params === null ? [] : [{ taken, handler, params }];
  });
  const match = found.find(({ taken }) => taken === method);
  return match ?? [...new Set(found.map(({ taken }) => taken))];
}

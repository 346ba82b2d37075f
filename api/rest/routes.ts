/** Resource paths of the operations under `/v1`, and how a request finds its path. */
import type { AnyOperation } from '../operations/operation.ts';
import { namedOperations, servedOperations } from '../operations/table.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const TENANT = '/v1/tenants/{tenant}';

/**
 * One route for each operation over HTTP. A name in braces is a field of the input; the other
 * fields come from the query string of GET and DELETE, and from the JSON body of the others.
 */
const PATHS: Readonly<Record<string, readonly [Method, string]>> = {
  'memory.add': ['POST', `${TENANT}/memories`],
  'memory.list': ['GET', `${TENANT}/memories`],
  'memory.bulkAdd': ['POST', `${TENANT}/memories/bulk-add`],
  'memory.bulkDelete': ['POST', `${TENANT}/memories/bulk-delete`],
  'memory.search': ['POST', `${TENANT}/memories/search`],
  'memory.addMessages': ['POST', `${TENANT}/memories/from-messages`],
  'memory.get': ['GET', `${TENANT}/memories/{id}`],
  'memory.update': ['PATCH', `${TENANT}/memories/{id}`],
  'memory.delete': ['DELETE', `${TENANT}/memories/{id}`],
  'memory.history': ['GET', `${TENANT}/memories/{id}/history`],
  'memory.promote': ['POST', `${TENANT}/memories/{id}/promotion`],
  'memory.compact': ['POST', `${TENANT}/compaction`],
  'memory.compactionStatus': ['GET', `${TENANT}/compaction`],
  'conversation.list': ['GET', `${TENANT}/sessions`],
  'conversation.delete': ['DELETE', `${TENANT}/sessions/{sessionId}`],
  'conversation.append': ['POST', `${TENANT}/sessions/{sessionId}/turns`],
  'conversation.messages': ['GET', `${TENANT}/sessions/{sessionId}/turns`],
  'conversation.end': ['POST', `${TENANT}/sessions/{sessionId}/end`],
  'conversation.flush': ['POST', `${TENANT}/sessions/{sessionId}/flush`],
  'conversation.summarize': ['POST', `${TENANT}/conversation-summary`],
  'summary.list': ['GET', `${TENANT}/summaries`],
  'summary.get': ['GET', `${TENANT}/summaries/{layer}`],
  'summary.deadLetters': ['GET', `${TENANT}/dead-letters`],
  'summary.retry': ['POST', `${TENANT}/dead-letters/retry`],
  'context.assemble': ['POST', `${TENANT}/contexts`],
  'budget.get': ['GET', `${TENANT}/budget`],
  'budget.grant': ['POST', `${TENANT}/budget/grants`],
  'daily.append': ['POST', `${TENANT}/daily`],
  'daily.get': ['GET', `${TENANT}/daily`],
  'document.list': ['GET', `${TENANT}/documents`],
  'document.get': ['GET', `${TENANT}/document`],
  'document.edit': ['PUT', `${TENANT}/document`],
  'document.versions': ['GET', `${TENANT}/document/versions`],
  'document.restore': ['POST', `${TENANT}/document/restore`],
  'dream.run': ['POST', `${TENANT}/dreams`],
  'dream.list': ['GET', `${TENANT}/dreams`],
  'dream.status': ['GET', `${TENANT}/dreams/status`],
  'dream.schedules': ['GET', `${TENANT}/dreams/schedules`],
  'dream.get': ['GET', `${TENANT}/dreams/{id}`],
  'dream.approve': ['POST', `${TENANT}/dreams/{id}/approve`],
  'dream.reject': ['POST', `${TENANT}/dreams/{id}/reject`],
  'review.list': ['GET', `${TENANT}/reviews`],
  'review.approve': ['POST', `${TENANT}/reviews/{id}/approve`],
  'review.refuse': ['POST', `${TENANT}/reviews/{id}/refuse`],
  'key.create': ['POST', `${TENANT}/keys`],
  'key.list': ['GET', `${TENANT}/keys`],
  'key.revoke': ['DELETE', `${TENANT}/keys/{id}`],
  'memory.erase': ['POST', `${TENANT}/erasures`],
  'tenant.get': ['GET', TENANT],
  'tenant.erase': ['POST', `${TENANT}/erase-everything`],
  'erasure.list': ['GET', `${TENANT}/erasures`],
  'erasure.reapply': ['POST', `${TENANT}/erasures/reapply`],
  'audit.list': ['GET', `${TENANT}/audit`],
  'event.list': ['GET', `${TENANT}/events`],
  'trace.why': ['POST', `${TENANT}/why`],
  health: ['GET', '/v1/health'],
};

export interface Route {
  /** Name of the operation, such as `memory.add`. */
  readonly name: string;
  readonly operation: AnyOperation;
  readonly method: Method;
  /** Has the names of its parameters in braces. */
  readonly path: string;
}

/** The result of matching: a route with its parameters, or why there is none. */
type RouteMatch =
  | {
      readonly kind: 'Found';
      readonly route: Route;
      readonly params: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'OtherMethod'; readonly methods: readonly Method[] }
  | { readonly kind: 'NoRoute' };

/** In the order of the table of operations. An operation without a path has no route. */
export const ROUTES: readonly Route[] = namedOperations(servedOperations()).flatMap(
  ([name, operation]) => {
    const row = PATHS[name];
    return row === undefined ? [] : [{ name, operation, method: row[0], path: row[1] }];
  },
);

/** A word precedes a parameter: `/dreams/status` is not the dream `status`. */
const BY_PARAMETERS = ROUTES.toSorted(
  (a, b) => parametersOf(a).length - parametersOf(b).length,
).map((route) => ({ route, pattern: route.path.split('/') }));

/** Returns the names in braces, in order. */
export function parametersOf({ path }: Pick<Route, 'path'>): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/gu)].map(([, name = '']) => name);
}

/**
 * Finds the route of a request.
 * @param pathname as sent, without the query string; its parts are URL-encoded
 */
export function matchRoute(method: string, pathname: string): RouteMatch {
  const given = pathname.split('/');
  const found = BY_PARAMETERS.flatMap(({ route, pattern }) => {
    const params = pathParams(pattern, given);
    return params === null ? [] : [{ route, params }];
  });
  const match = found.find(({ route }) => route.method === method);
  if (match !== undefined) return { kind: 'Found', ...match };
  if (found.length === 0) return { kind: 'NoRoute' };
  return { kind: 'OtherMethod', methods: [...new Set(found.map(({ route }) => route.method))] };
}

/**
 * Returns the parameters of a path by name; null if it does not match the pattern.
 * @param pattern parts of a path such as `/v1/memories/{id}`
 * @param given parts of a path as sent, without the query string; they are URL-encoded
 */
export function pathParams(
  pattern: readonly string[],
  given: readonly string[],
): Record<string, string> | null {
  if (pattern.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [at, part] of pattern.entries()) {
    const sent = given[at] ?? '';
    // Decoding costs more than all the rest, and most paths match as sent.
    if (part === sent) continue;
    const value = decoded(sent);
    if (value === null) return null;
    if (part.startsWith('{')) params[part.slice(1, -1)] = value;
    else if (part !== value) return null;
  }
  return params;
}

function decoded(part: string): string | null {
  if (!part.includes('%')) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

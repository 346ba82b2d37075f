/** Where operations are over HTTP, and the messages for calls sent elsewhere. */
import { nearestWord } from '#core/spelling.ts';
import type { AnyOperation } from './operations/operation.ts';
import { namedOperations, servedOperations } from './operations/table.ts';

/** Returns how to call an operation, such as `GET /memory.search?input=<URL-encoded JSON>`. */
export function routeOf(name: string, { kind }: Pick<AnyOperation, 'kind'>): string {
  return kind === 'query' ? `GET /${name}?input=<URL-encoded JSON>` : `POST /${name}`;
}

/** What `GET /` answers. */
export function trpcIndex(): string {
  const routes = namedOperations(servedOperations()).map(([name, row]) => routeOf(name, row));
  return [
    'This is the API of Varve. Send the token of this installation as',
    '"Authorization: Bearer <token>", and inputs of POST as a JSON body with',
    '"content-type: application/json". GET /docs shows the resources under /v1, and',
    'GET /openapi.json describes them to programs. The same operations by name, over tRPC:',
    '',
    ...routes,
    '',
  ].join('\n');
}

/** Names the nearest known name for an unknown one, and where to find all of them. */
export function unknownOperation(name: string | undefined): string {
  const names = namedOperations(servedOperations()).map(([each]) => each);
  const near = name === undefined ? null : nearestWord(name, names);
  const hint = near === null ? '' : ` Did you mean ${near}?`;
  return `There is no such operation.${hint} GET / lists them.`;
}

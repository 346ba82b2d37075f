/** The text of every 405 answer, whichever protocol the caller speaks. */
import { VarveError } from '#core/errors.ts';
import { namedOperations, servedOperations } from './operations/table.ts';
import { routeOf } from './trpc-help-page.ts';

/** For HTTP methods that no path takes: TRACE and CONNECT. */
export const METHOD_NOT_ALLOWED = 'Send queries with GET, everything else with POST.';

export const MCP_METHOD_NOT_ALLOWED =
  'This server keeps no sessions and sends no messages of its own: send POST.';

/**
 * Returns the error for a method that a path does not take.
 * @param allow the methods that the path takes, as the header Allow names them
 */
export function methodNotAllowed(allow: string, message = `This path takes ${allow}.`): VarveError {
  return new VarveError('INVALID_INPUT', message, { details: { allow } });
}

/** Names the right method for an operation that was called with another one over tRPC. */
export function rpcMethodNotAllowed(name: string | undefined): string {
  const found = namedOperations(servedOperations()).find(([each]) => each === name);
  if (found === undefined) return 'An operation takes GET or POST; GET / lists them.';
  const [, operation] = found;
  const how = operation.kind === 'query' ? '' : ' with the input as a JSON body';
  const does = operation.kind === 'query' ? 'reads' : 'writes';
  return `${found[0]} ${does}: send ${routeOf(found[0], operation)}${how}.`;
}

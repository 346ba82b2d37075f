/** The id of a request: as the caller sent it, or a new one; every answer carries it. */
import type { IncomingMessage } from 'node:http';

export const REQUEST_ID_HEADER = 'x-request-id';
/** What stands in a line of the log as it is. */
const WELL_FORMED = /^[\w.-]{1,128}$/u;

export function requestIdOf({ headers }: IncomingMessage, newId: () => string): string {
  const given = headers[REQUEST_ID_HEADER];
  return typeof given === 'string' && WELL_FORMED.test(given) ? given : newId();
}

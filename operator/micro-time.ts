/** Times as the API server takes them for Leases and Events. */

/**
 * RFC 3339 with six digits: the server refuses a `MicroTime` with the three that a Date prints.
 * @param now milliseconds since the epoch
 */
export function microTime(now: number): string {
  return new Date(now).toISOString().replace('Z', '000Z');
}

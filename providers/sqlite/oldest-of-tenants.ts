/** Tenants by the oldest of their rows, each found by one step along an index. */
import type { Connection } from './connection.ts';

interface Oldest {
  readonly tenant: string;
  readonly oldestAt: number;
}

/** @param next asks for the first `tenant` after a name, with the time `at` of its oldest row */
export function oldestOfTenants(
  connection: Connection,
  next: string,
  { after, limit }: { after: string | null; limit: number },
): Oldest[] {
  const found: Oldest[] = [];
  for (let last = after ?? ''; found.length < limit;) {
    const row = connection.first(next, [last]);
    if (row === null) break;
    last = String(row['tenant']);
    found.push({ tenant: last, oldestAt: Number(row['at']) });
  }
  return found;
}

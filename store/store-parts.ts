/** What all families of records use. */
import { pagesOf } from '#core/chunks-and-pages.ts';
import {
  type Driver,
  type Least,
  type LeastScan,
  type Scan,
  columnValue,
  type RecordKind,
} from './storage-driver.ts';
import type { ConcurrentWrites } from './retry-concurrent-writes.ts';

/**
 * Maximum records that one sweep deletes, to keep the transaction short for those that wait for it.
 */
export const SWEPT_MAX = 500;

export interface StoreParts {
  readonly driver: Driver;
  readonly writes: ConcurrentWrites;
}

/**
 * Writes a record if the stored one is at `version - 1`, or a new one (version 1) if none is
 * stored.
 */
export function putVersion<R extends { readonly version: number }>(
  { writes }: StoreParts,
  kind: RecordKind<R>,
  key: readonly (string | number)[],
  next: R,
): Promise<boolean> {
  return writes.run(kind, key, ({ record, set }) => {
    if ((record?.version ?? 0) !== next.version - 1) return false;
    set(next);
    return true;
  });
}

/**
 * Yields the records of a scan, in pages of `limit`. No two of them may have the same values of its
 * order.
 */
export function scanPages<R extends object>(
  driver: Driver,
  kind: RecordKind<R>,
  scan: Pick<Scan, 'where' | 'order' | 'limit'>,
): AsyncGenerator<readonly R[]> {
  const { order = kind.key, limit } = scan;
  return pagesOf<R>(limit, (last) => {
    if (last === undefined) return driver.scan(kind, scan);
    const after = order.map((column) => columnValue(kind, last, column));
    return driver.scan(kind, { ...scan, after });
  });
}

/**
 * Returns tenants that have records with a value of the column, each with the least of these
 * values.
 */
export function tenantsBy<R extends object>(
  driver: Driver,
  kind: RecordKind<R>,
  of: Pick<LeastScan, 'column' | 'index' | 'after' | 'limit'>,
): Promise<Least[]> {
  return driver.least(kind, { ...of, by: 'tenant', where: [], order: 'group' });
}

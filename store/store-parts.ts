/** What every family of records works with. */
import {
  type Driver,
  type Least,
  type LeastScan,
  type Scan,
  columnValue,
  type RecordKind,
  type Value,
} from './driver.ts';
import type { ConcurrentWrites } from './concurrent-writes.ts';

/** Records that one sweep forgets: a transaction that others wait for stays short. */
export const SWEPT_MAX = 500;

export interface StoreParts {
  readonly driver: Driver;
  readonly writes: ConcurrentWrites;
}

/** Writes a record if it is still at `version - 1`, a new one (version 1) if it is not there. */
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

/** The records of a scan, a page of `limit` at a time; no two have the values of its order. */
export async function* pagesOf<R extends object>(
  driver: Driver,
  kind: RecordKind<R>,
  scan: Pick<Scan, 'where' | 'order' | 'limit'>,
): AsyncGenerator<readonly R[]> {
  const { order = kind.key, limit } = scan;
  for (let after: readonly Value[] | undefined; ;) {
    const page = await driver.scan(kind, { ...scan, ...(after === undefined ? {} : { after }) });
    yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < limit) return;
    after = order.map((column) => columnValue(kind, last, column));
  }
}

/** Tenants that have records with a value of the column, each with the least of them. */
export function tenantsBy<R extends object>(
  driver: Driver,
  kind: RecordKind<R>,
  of: Pick<LeastScan, 'column' | 'index' | 'after' | 'limit'>,
): Promise<Least[]> {
  return driver.least(kind, { ...of, by: 'tenant', where: [], order: 'group' });
}

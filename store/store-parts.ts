/** What every family of records works with. */
import type { Driver } from './driver.ts';
import type { RecordKind } from './record-kind.ts';
import type { Transactor } from './transactor.ts';

export interface StoreParts {
  readonly driver: Driver;
  readonly transactor: Transactor;
}

/** Writes a record if it is still at `version - 1`, a new one (version 1) if it is not there. */
export function putVersion<R extends { readonly version: number }>(
  { transactor }: StoreParts,
  kind: RecordKind<R>,
  key: readonly (string | number)[],
  next: R,
): Promise<boolean> {
  return transactor.run(kind, key, ({ record, set }) => {
    if ((record?.version ?? 0) !== next.version - 1) return false;
    set(next);
    return true;
  });
}

/** Walks over all records of a kind that a tenant has, and deletions in steps. */
import type { FieldCondition, Driver, RecordKind } from '../driver.ts';
import { pagesOf } from '../store-parts.ts';

/** Records read at a time: some are large. */
const PAGE = 100;
/** Records that one command deletes: others wait for it. */
const ERASED_AT_ONCE = 500;
/** Values of one condition. */
const VALUES_MAX = 200;

/** The records of a tenant in the order of their keys, or those that meet the conditions too. */
export async function* scanAll<R extends object>(
  driver: Driver,
  kind: RecordKind<R>,
  tenant: string,
  where: readonly FieldCondition[] = [],
): AsyncGenerator<R> {
  const whole = [['tenant', '=', tenant] as const, ...where];
  for await (const page of pagesOf(driver, kind, { where: whole, limit: PAGE })) yield* page;
}

/** Deletes for good what meets the conditions, marks of what was deleted before included. */
export async function eraseAll<R extends object>(
  driver: Driver,
  kind: RecordKind<R>,
  where: readonly FieldCondition[],
): Promise<void> {
  // Ends with the records: each step has fewer of them.
  while ((await driver.erase(kind, where, ERASED_AT_ONCE)) === ERASED_AT_ONCE);
}

/** As `eraseAll`, of the records with one of the values. */
export async function eraseEach<R extends object>(
  driver: Driver,
  kind: RecordKind<R>,
  where: readonly FieldCondition[],
  column: string,
  values: readonly string[],
): Promise<void> {
  for (let at = 0; at < values.length; at += VALUES_MAX) {
    const some = values.slice(at, at + VALUES_MAX);
    await eraseAll(driver, kind, [...where, [column, 'in', some]]);
  }
}

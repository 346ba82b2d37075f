/** Walks over all of a tenant's records of a kind, and deletes in steps. */
import { chunked } from '#core/chunks-and-pages.ts';
import type { FieldCondition, Driver, RecordKind } from '../storage-driver.ts';
import { scanPages } from '../store-parts.ts';

/** Records to read at a time; some are large. */
const PAGE = 100;
/** Maximum records that one command deletes, since other commands wait for it. */
const ERASED_AT_ONCE = 500;
/** Maximum values of one condition. */
const VALUES_MAX = 200;

/**
 * Yields the records of a tenant in order of their keys, or only those that meet the conditions.
 */
export async function* scanAll<R extends object>(
  driver: Driver,
  kind: RecordKind<R>,
  tenant: string,
  where: readonly FieldCondition[] = [],
): AsyncGenerator<R> {
  const whole = [['tenant', '=', tenant] as const, ...where];
  for await (const page of scanPages(driver, kind, { where: whole, limit: PAGE })) yield* page;
}

/** Deletes for good what meets the conditions, including the marks of deleted records. */
export async function eraseAll<R extends object>(
  driver: Driver,
  kind: RecordKind<R>,
  where: readonly FieldCondition[],
): Promise<void> {
  // This ends, since each step leaves fewer records.
  while ((await driver.erase(kind, where, ERASED_AT_ONCE)) === ERASED_AT_ONCE);
}

/** Like `eraseAll`, for records with one of the values. */
export async function eraseEach<R extends object>(
  driver: Driver,
  kind: RecordKind<R>,
  where: readonly FieldCondition[],
  column: string,
  values: readonly string[],
): Promise<void> {
  for (const some of chunked(values, VALUES_MAX)) {
    await eraseAll(driver, kind, [...where, [column, 'in', some]]);
  }
}

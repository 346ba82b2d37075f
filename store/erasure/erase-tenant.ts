/** Deletes all records of a tenant, in steps. */
import { requireErasable } from '#core/policy/policy-ownership.ts';
import type { ErasureRequest, ErasureStep } from '#core/ports/store.ts';
import {
  ERASURE_RECEIPTS,
  ERASURES,
  FENCES,
  KINDS,
  POLICIES,
} from '../record-kinds-and-indexes.ts';
import { type AnyKind, type Driver, equal, hasTenant } from '../storage-driver.ts';
import type { StoreParts } from '../store-parts.ts';

/** Kinds of a tenant's records except its policy, which is deleted last. */
export const OF_TENANT: readonly AnyKind[] = (KINDS as readonly AnyKind[]).filter(
  (kind) => hasTenant(kind) && kind.name !== POLICIES.name,
);

const RECEIPTS: ReadonlySet<string> = new Set([ERASURES.name, ERASURE_RECEIPTS.name]);

export async function eraseTenant(
  { driver }: StoreParts,
  kinds: readonly AnyKind[],
  tenant: string,
  { limit, by, keepsPolicy = false, keepsReceipts = false }: ErasureRequest,
): Promise<ErasureStep> {
  const where = equal({ tenant });
  const going = keepsReceipts ? kinds.filter(({ name }) => !RECEIPTS.has(name)) : kinds;
  let deleted = 0;
  // A reader may complete a commit whose records were erased before its anchor, so repeat until a
  // pass finds nothing.
  for (let before = -1; deleted > before;) {
    before = deleted;
    for (const kind of going) {
      if (deleted >= limit) return { deleted, isDone: false };
      // Check before each step, since another owner may have taken over and written.
      if (by !== undefined) await requireErasableBy(driver, tenant, by);
      deleted += await driver.erase(kind, where, limit - deleted);
    }
  }
  if (keepsPolicy) return { deleted, isDone: true };
  if (by !== undefined) await requireErasableBy(driver, tenant, by);
  return { deleted: deleted + (await driver.erase(POLICIES, where, 1)), isDone: true };
}

async function requireErasableBy(
  driver: Driver,
  tenant: string,
  by: NonNullable<ErasureRequest['by']>,
): Promise<void> {
  const [record, fence] = await Promise.all([
    driver.get(POLICIES, [tenant]),
    driver.get(FENCES, [by.owner.cluster]),
  ]);
  requireErasable({ record, fence: fence?.epoch ?? 0 }, by);
}

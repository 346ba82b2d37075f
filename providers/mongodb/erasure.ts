/**
 * Erasure of a tenant: whatever bears its id, in bounded steps and without a transaction.
 *
 * Flow: writes whose writers died are finished or shut out; then every collection is gone through.
 * Guarantees: a step that answers `isDone` found nothing in any collection, and no write under way,
 * before it removed the policy. The document of a scope stays while a write of it is under way, so
 * that what the write leaves is found by a later step.
 * Assumes that no writer stands still in the middle of a write for longer than `INTENT_MS_MAX`.
 */
import { requireErasable } from '#core/policy-claim.ts';
import type { Store } from '#core/ports/store.ts';

import type { Fences } from './fences.ts';
import { stateOf, type PolicyDocuments } from './policies.ts';
import type { ScopeDocuments } from './scope-document.ts';
import type { Condition } from './table.ts';

/** The part of a table that an erasure needs, whatever its documents are. */
interface Erasable {
  select(
    condition: Condition,
    selection: { readonly limit: number; readonly fields: readonly string[] },
  ): Promise<readonly { readonly _id: object }[]>;
  removeAll(condition: Condition): Promise<number>;
}

export interface ErasureTables {
  /** Whatever has documents of tenants, but for scopes and policies; what is served goes first. */
  readonly others: readonly Erasable[];
  readonly scopes: ScopeDocuments;
  readonly policies: PolicyDocuments;
  readonly fences: Fences;
  /** Finishes or shuts out what dead writers left under way. */
  readonly settle: (tenant: string, now: number) => Promise<void>;
}

export function erasure(tables: ErasureTables): Store['eraseTenant'] {
  return async (tenant, { limit, now, by, keepsPolicy = false }) => {
    const { scopes, others, policies, settle } = tables;
    const requireOwn = async (): Promise<void> => {
      if (by !== undefined) requireErasable(await stateOf(tables, tenant, by.owner), by);
    };
    await requireOwn();
    await settle(tenant, now);
    const ofTenant = { '_id.tenant': tenant };
    let deleted = 0;
    // Scopes before the others: without them no write is under way that is not told of here.
    const quiet = { ...ofTenant, 'writes.0': { $exists: false } };
    for (const table of [whereQuiet(scopes, quiet), ...others]) {
      const found = await select(table, ofTenant, limit - deleted);
      if (found.length === 0) continue;
      // Somebody may have claimed the tenant since, and what was found may be theirs.
      await requireOwn();
      deleted += await table.removeAll({ _id: { $in: found } });
    }
    if (deleted > 0 || (await scopes.first(ofTenant)) !== null) return { deleted, isDone: false };
    if (keepsPolicy) return { deleted: 0, isDone: true };
    // Where somebody claimed the tenant meanwhile, the policy is theirs.
    const own = by === undefined ? {} : { 'record.owner.uid': by.owner.uid };
    return { deleted: await policies.removeAll({ ...ofTenant, ...own }), isDone: true };
  };
}

/** Only what meets the condition when it is removed, not when it was selected. */
function whereQuiet(scopes: ScopeDocuments, quiet: Condition): Erasable {
  return {
    select: (_, selection) => scopes.select(quiet, selection),
    removeAll: (condition) => scopes.removeAll({ ...quiet, ...condition }),
  };
}

async function select(
  table: Erasable,
  ofTenant: Condition,
  limit: number,
): Promise<readonly object[]> {
  if (limit <= 0) return [];
  const found = await table.select(ofTenant, { limit, fields: ['_id'] });
  return found.map(({ _id }) => _id);
}

/** Erasure of a tenant: whatever bears its id, in bounded steps. */
import { requireErasable } from '#core/policy-claim.ts';
import type { ErasureStep, Store } from '#core/ports/store.ts';

import type { Database, Tables } from './database.ts';
import { stateOf } from './policies.ts';

interface OfTenant {
  readonly tenant: string;
}

interface Erasable {
  all(): readonly OfTenant[];
  remove(row: OfTenant): void;
}

export function erasure(database: Database): Store['eraseTenant'] {
  const { tables } = database;
  return (tenant, { limit, by, keepsPolicy = false }) =>
    database.write(() => {
      if (by !== undefined) requireErasable(stateOf(tables, tenant, by.owner), by);
      return eraseStep(tables, tenant, { limit, keepsPolicy });
    });
}

function eraseStep(
  tables: Tables,
  tenant: string,
  { limit, keepsPolicy }: { limit: number; keepsPolicy: boolean },
): ErasureStep {
  let deleted = 0;
  for (const table of erasables(tables)) deleted += eraseRows(table, tenant, limit - deleted);
  if (deleted >= limit) return { deleted, isDone: false };
  if (keepsPolicy) return { deleted, isDone: true };
  return { deleted: deleted + eraseRows(tables.policies, tenant, 1), isDone: true };
}

/** What readers are served goes first; the policy is not among them and goes last. */
function erasables(tables: Tables): readonly Erasable[] {
  return [
    tables.summaries,
    tables.variants,
    tables.segments,
    tables.memories,
    tables.changes,
    tables.turns,
    tables.scopes,
    tables.documents,
    tables.proposals,
    tables.subjects,
    tables.dreamSchedules,
    tables.answers,
    tables.ledger,
    tables.accounts,
    tables.wakes,
    tables.events,
    tables.idempotency,
    tables.embeddingStates,
    tables.generations,
  ];
}

function eraseRows(table: Erasable, tenant: string, limit: number): number {
  const rows = table.all().filter((row) => row.tenant === tenant);
  for (const row of rows.slice(0, limit)) table.remove(row);
  return Math.min(rows.length, limit);
}

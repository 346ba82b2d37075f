/** Summaries, and the commit that makes a new generation current. */
import { GENERAL } from '#core/variants/audience.ts';
import { VarveError } from '#core/errors.ts';
import type { SummaryCommit, SummaryRecords } from '#core/ports/summary-records.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Summary } from '#core/records/summary.ts';

import type { Connection } from './connection.ts';
import { eventTable, type EventTable } from './events.ts';
import { removeSummaries, writeLineage } from './lineage.ts';
import { recordTable, type RecordTable } from './record-table.ts';
import { scopeTable, type ScopeTable } from './scope-table.ts';
import { replaceScope } from './scopes.ts';
import { removeSegments } from './segments.ts';
import { removeVariants } from './variants.ts';

interface Tables {
  readonly connection: Connection;
  readonly summaries: RecordTable<Summary>;
  readonly scopes: ScopeTable;
  readonly events: EventTable;
}

export function summaryRecords(connection: Connection): SummaryRecords {
  const summaries = summaryTable(connection);
  const tables: Tables = {
    connection,
    summaries,
    scopes: scopeTable(connection),
    events: eventTable(connection),
  };
  return {
    get: ({ tenant, layer, scopeId }, audience) =>
      connection.read(() => summaries.find(tenant, layer, scopeId, audience)),
    list: (tenant, limit) =>
      connection.read(() =>
        summaries.select('tenant = ? ORDER BY layer, scope_id, audience LIMIT ?', [tenant, limit]),
      ),
    commit: (commit) => connection.write(() => commitSummary(tables, commit)),
  };
}

function summaryTable(connection: Connection): RecordTable<Summary> {
  return recordTable<Summary>(connection, {
    name: 'summaries',
    key: ['tenant', 'layer', 'scope_id', 'audience'],
    columns: {
      tenant: 'tenant',
      layer: 'layer',
      scope_id: 'scopeId',
      audience: 'audience',
      id: 'id',
      source_hash: 'sourceHash',
      recipe_hash: 'recipeHash',
      generated_at: 'generatedAt',
      checked_at: 'checkedAt',
    },
  });
}

function commitSummary(tables: Tables, commit: SummaryCommit): boolean {
  if (!replaceScope(tables.scopes, commit.scope)) return false;
  forgetEnded(tables.connection, commit.scope);
  writeOutcome(tables, commit);
  tables.events.insertNew(commit.event);
  return true;
}

function writeOutcome(tables: Tables, { outcome, summary, scope }: SummaryCommit): void {
  const { tenant, layer, scopeId } = scope;
  const ofScope = 'tenant = ? AND layer = ? AND scope_id = ?';
  switch (outcome) {
    case 'Generated':
      if (summary === null) {
        throw new VarveError('INVALID_INPUT', 'A generated outcome comes with its summary.');
      }
      if (summary.audience === GENERAL) removeSummaries(tables.connection, scope);
      tables.summaries.put(summary);
      writeLineage(tables.connection, summary);
      return;
    case 'Unchanged':
      tables.connection.run(
        `UPDATE summaries SET checked_at = ? WHERE ${ofScope} AND audience = ''`,
        [scope.checkedAt ?? 0, tenant, layer, scopeId],
      );
      return;
    case 'Emptied':
      removeSummaries(tables.connection, scope);
      removeSegments(tables.connection, scope);
      removeVariants(tables.connection, scope);
      return;
    default:
      outcome satisfies never;
  }
}

/**
 * A recount leaves out the sources that ended by themselves, and its next expiry is the earliest of
 * those that it found; so what ends before that is in the hash no longer. Where there was no
 * recount, the next expiry is what it was and nothing counted ends before it.
 */
function forgetEnded(connection: Connection, scope: ScopeRecord): void {
  const next = scope.nextExpiryAt ?? Number.MAX_SAFE_INTEGER;
  connection.run(
    `UPDATE memories SET counted = 0
     WHERE tenant = ? AND layer = ? AND scope_id = ? AND counted = 1 AND ends_at < ?`,
    [scope.tenant, scope.layer, scope.scopeId, next],
  );
}

/** Summaries, and the commit that makes a new generation current. */
import { GENERAL } from '#core/variants/audience.ts';
import { VarveError } from '#core/errors.ts';
import { endOf } from '#core/memory-state.ts';
import type { SummaryCommit, SummaryRecords } from '#core/ports/summary-records.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Summary } from '#core/records/summary.ts';
import type { Scope } from '#core/scope.ts';

import type { Database, Tables } from './database.ts';
import { replaceScope } from './scopes.ts';
import { removeSegments } from './segments.ts';
import { removeVariants } from './variants.ts';

export function summaryRecords(database: Database): SummaryRecords {
  const { tables } = database;
  return {
    get: ({ tenant, layer, scopeId }, audience) =>
      database.read(() => tables.summaries.get(tenant, layer, scopeId, audience)),
    list: (tenant, limit) =>
      database.read(() => tables.summaries.group(tenant).toSorted(byName).slice(0, limit)),
    commit: (commit) =>
      database.write(() => {
        if (commit.outcome === 'Generated' && commit.summary === null) {
          throw new VarveError('INVALID_INPUT', 'A generated outcome comes with its summary.');
        }
        if (!replaceScope(tables, commit.scope)) return false;
        forgetEnded(tables, commit.scope);
        writeOutcome(tables, commit);
        const { tenant, id } = commit.event;
        if (tables.events.get(tenant, id) === null) tables.events.put(commit.event);
        return true;
      }),
  };
}

function byName(a: Summary, b: Summary): number {
  const nameOf = ({ layer, scopeId, audience }: Summary) => [layer, scopeId, audience].join('\0');
  return nameOf(a) < nameOf(b) ? -1 : 1;
}

function summariesOf(tables: Tables, { tenant, layer, scopeId }: Scope): readonly Summary[] {
  const all = tables.summaries.group(tenant);
  return all.filter((summary) => summary.layer === layer && summary.scopeId === scopeId);
}

function removeSummaries(tables: Tables, scope: Scope): void {
  for (const each of summariesOf(tables, scope)) tables.summaries.remove(each);
}

function writeOutcome(tables: Tables, { outcome, summary, scope }: SummaryCommit): void {
  switch (outcome) {
    case 'Generated':
      if (summary === null) return;
      if (summary.audience === GENERAL) removeSummaries(tables, scope);
      tables.summaries.put(summary);
      return;
    case 'Unchanged': {
      const general = summariesOf(tables, scope).find(({ audience }) => audience === GENERAL);
      if (general === undefined) return;
      tables.summaries.put({ ...general, checkedAt: scope.checkedAt ?? 0 });
      return;
    }
    case 'Emptied':
      removeSummaries(tables, scope);
      removeSegments(tables, scope);
      removeVariants(tables, scope);
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
function forgetEnded(tables: Tables, { tenant, layer, scopeId, nextExpiryAt }: ScopeRecord): void {
  const next = nextExpiryAt ?? Number.MAX_SAFE_INTEGER;
  for (const row of tables.memories.group(tenant, layer, scopeId)) {
    const end = endOf(row);
    if (row.counted && end !== null && end < next) tables.memories.put({ ...row, counted: false });
  }
}

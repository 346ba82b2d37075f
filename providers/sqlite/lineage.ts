/** Lineage: from each source to the texts that cite it. */
import type { Summary } from '#core/records/summary.ts';
import type { Memory } from '#core/records/memory.ts';
import type { Scope } from '#core/scope.ts';

import type { Connection } from './connection.ts';

const OF_SUMMARY = `tenant = ? AND kind = 'summary' AND layer = ? AND scope_id = ? AND part = ?`;

/** Whether a current summary of the memory's scope, for whatever audience, cites the memory. */
export function isCited(
  connection: Connection,
  memory: Pick<Memory, 'tenant' | 'id' | 'layer' | 'scopeId'>,
): boolean {
  const sql = `SELECT 1 AS cited FROM lineage
    WHERE tenant = ? AND source_id = ? AND kind = 'summary' AND layer = ? AND scope_id = ?`;
  const { tenant, id, layer, scopeId } = memory;
  return connection.first(sql, [tenant, id, layer, scopeId]) !== null;
}

/** Replaces what the summary before this one cited. */
export function writeLineage(connection: Connection, summary: Summary): void {
  const { tenant, layer, scopeId, audience } = summary;
  connection.run(`DELETE FROM lineage WHERE ${OF_SUMMARY}`, [tenant, layer, scopeId, audience]);
  const cited = new Set(summary.facts.flatMap((fact) => fact.sources));
  for (const id of cited) {
    connection.run(`INSERT INTO lineage VALUES (?, ?, 'summary', ?, ?, ?)`, [
      tenant,
      id,
      layer,
      scopeId,
      audience,
    ]);
  }
}

/** Removes the summaries of a scope, for all audiences, with what they cited. */
export function removeSummaries(connection: Connection, scope: Scope): void {
  const ofScope = [scope.tenant, scope.layer, scope.scopeId];
  connection.run('DELETE FROM summaries WHERE tenant = ? AND layer = ? AND scope_id = ?', ofScope);
  connection.run(
    `DELETE FROM lineage WHERE tenant = ? AND kind = 'summary' AND layer = ? AND scope_id = ?`,
    ofScope,
  );
}

/** Removes the summary for one audience, with what it cited. */
export function removeSummary(connection: Connection, scope: Scope, audience: string): void {
  const ofAudience = [scope.tenant, scope.layer, scope.scopeId, audience];
  connection.run(
    'DELETE FROM summaries WHERE tenant = ? AND layer = ? AND scope_id = ? AND audience = ?',
    ofAudience,
  );
  connection.run(`DELETE FROM lineage WHERE ${OF_SUMMARY}`, ofAudience);
}

/** Embedding generations: their states, their calibrations, and the vectors beside memories. */
import type { EmbeddingRecords } from '#core/ports/embedding-records.ts';
import type { EmbeddingState } from '#core/records/embedding-state.ts';
import type { Calibration } from '#core/search/calibration.ts';

import type { Connection } from './connection.ts';
import { cachedVector } from './embedding-cache.ts';
import { missingMemories, progressOf } from './embedding-walk.ts';
import { adoptGeneration, dropGeneration, putVectors } from './generation-change.ts';
import { recordTable, type RecordTable } from './record-table.ts';

export function embeddingRecords(connection: Connection): EmbeddingRecords {
  const states = stateTable(connection);
  const calibrations = recordTable<Calibration>(connection, {
    name: 'calibrations',
    key: ['generation'],
    columns: { generation: 'generation' },
  });
  return {
    state: (tenant) => connection.readOne(() => states.find(tenant)),
    putState: (state) => connection.write(() => putState(states, state)),
    tenants: (page) => connection.read(() => tenantsWithScopes(connection, page)),
    changing: ({ after, limit }) =>
      connection.read(() =>
        states.select(`tenant > ? AND phase <> 'Steady' ORDER BY tenant LIMIT ?`, [
          after ?? '',
          limit,
        ]),
      ),
    calibration: (generation) => connection.readOne(() => calibrations.find(generation)),
    putCalibration: (calibration) =>
      connection.write(() => {
        calibrations.put(calibration);
      }),
    cached: (tenant, { generation, contentHashes }) =>
      // No snapshot is needed: the vector of a content never changes.
      connection.patiently(() => {
        const found = new Map<string, readonly number[]>();
        for (const contentHash of contentHashes) {
          const vector = cachedVector(connection, { tenant, generation, contentHash });
          if (vector !== null) found.set(contentHash, vector);
        }
        return found;
      }),
    missing: (tenant, query) => missingMemories(connection, tenant, query),
    putVectors: (tenant, write) => putVectors(connection, tenant, write),
    adopt: (tenant, generation, limit) =>
      connection.write(() => adoptGeneration(connection, { tenant, generation }, limit)),
    drop: (tenant, generation, limit) =>
      connection.write(() => dropGeneration(connection, { tenant, generation }, limit)),
    progress: (tenant, query) => progressOf(connection, tenant, query),
  };
}

function stateTable(connection: Connection): RecordTable<EmbeddingState> {
  return recordTable<EmbeddingState>(connection, {
    name: 'embeddings',
    key: ['tenant'],
    columns: { tenant: 'tenant', phase: 'phase', version: 'version' },
  });
}

function putState(states: RecordTable<EmbeddingState>, state: EmbeddingState): boolean {
  if ((states.find(state.tenant)?.version ?? 0) !== state.version - 1) return false;
  states.put(state);
  return true;
}

/** One step of the index for each tenant, however many scopes each has. */
function tenantsWithScopes(
  connection: Connection,
  { after, limit }: { after: string | null; limit: number },
): string[] {
  const found: string[] = [];
  while (found.length < limit) {
    const row = connection.first(
      'SELECT tenant FROM scopes WHERE tenant > ? ORDER BY tenant LIMIT 1',
      [found.at(-1) ?? after ?? ''],
    );
    if (row === null) break;
    found.push(String(row['tenant']));
  }
  return found;
}

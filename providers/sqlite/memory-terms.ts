/** The terms of memories: analyzed at write, and again if another analyzer wrote them. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Layer } from '#core/layer.ts';
import type { TextAnalyzer } from '#core/ports/text-analyzer.ts';
import type { Memory } from '#core/records/memory.ts';
import type { Connection } from './connection.ts';
import { scopeColumnValues, touch } from './memory-touches.ts';

/** Memories analyzed in one transaction: some milliseconds, while other writers wait. */
const CHUNK_MEMORIES = 200;

const CHUNK = `
  SELECT tenant, id, layer, scope_id, record ->> '$.content' AS content FROM memories
  WHERE (tenant, id) > (?, ?) ORDER BY tenant, id LIMIT ?`;

const OF_MEMORY = 'tenant = ? AND layer = ? AND scope_id = ? AND memory_id = ?';

type Analyzed = Pick<Memory, 'tenant' | 'layer' | 'scopeId' | 'id' | 'content'>;

/** Writes the terms of a memory; call it in the transaction that adds or changes the memory. */
export function writeTerms(connection: Connection, analyzer: TextAnalyzer, memory: Analyzed): void {
  const terms = analyzer.terms(memory.content).join(' ');
  const row = [...scopeColumnValues(memory), memory.id, analyzer.revision, terms];
  connection.run('INSERT OR REPLACE INTO memory_terms VALUES (?, ?, ?, ?, ?, ?)', row);
}

export function removeTerms(connection: Connection, memory: Omit<Analyzed, 'content'>): void {
  const place = [...scopeColumnValues(memory), memory.id];
  connection.run(`DELETE FROM memory_terms WHERE ${OF_MEMORY}`, place);
}

/**
 * Analyzes every memory whose terms are missing or of another revision, a chunk at a time, so that
 * other processes can write in between, and the next open continues after a crash.
 */
export async function completeTerms(connection: Connection, analyzer: TextAnalyzer): Promise<void> {
  const complete = await connection.read(() => isComplete(connection, analyzer));
  if (complete) return;
  let last: Analyzed | null = { tenant: '', layer: 'user', scopeId: '', id: '', content: '' };
  while (last !== null) {
    const after: Analyzed = last;
    last = await connection.write(() => analyseChunk(connection, analyzer, after));
    await nextTurn();
  }
}

function isComplete(connection: Connection, { revision }: TextAnalyzer): boolean {
  return connection.first('SELECT revision FROM terms_complete')?.['revision'] === revision;
}

/** Analyzes a chunk; returns its last memory by tenant and id, or null after the last of all. */
function analyseChunk(
  connection: Connection,
  analyzer: TextAnalyzer,
  after: Analyzed,
): Analyzed | null {
  const memories = connection
    .all(CHUNK, [after.tenant, after.id, CHUNK_MEMORIES])
    .map((row): Analyzed => ({
      tenant: String(row['tenant']),
      id: String(row['id']),
      // The column was written from a parsed memory, so the cast is safe.
      layer: row['layer'] as Layer,
      scopeId: String(row['scope_id']),
      content: String(row['content']),
    }));
  for (const memory of memories) {
    if (hasTerms(connection, analyzer, memory)) continue;
    writeTerms(connection, analyzer, memory);
    touch(connection, memory);
  }
  const last = memories.at(-1);
  if (last !== undefined && memories.length === CHUNK_MEMORIES) return last;
  connection.run('INSERT OR REPLACE INTO terms_complete VALUES (1, ?)', [analyzer.revision]);
  return null;
}

function hasTerms(connection: Connection, { revision }: TextAnalyzer, memory: Analyzed): boolean {
  const known = `SELECT revision FROM memory_terms WHERE ${OF_MEMORY}`;
  return (
    connection.first(known, [...scopeColumnValues(memory), memory.id])?.['revision'] === revision
  );
}

/** Finds which live memories have a vector of a generation, by a walk over a tenant in windows. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EmbeddingRecords, Unembedded } from '#core/ports/embedding-records.ts';
import type { Connection, Row } from './connection.ts';

/** Memories read before other work gets a turn: about 10 ms. */
const WINDOW_MEMORIES = 2_000;

const WINDOW = `
  SELECT m.id AS id, m.token_count AS tokens, m.live_until > ? AS live, EXISTS (
    SELECT 1 FROM memory_vectors v
    WHERE v.tenant = m.tenant AND v.generation = ? AND v.layer = m.layer
      AND v.scope_id = m.scope_id AND v.memory_id = m.id
  ) AS embedded
  FROM memories m WHERE m.tenant = ? AND m.id > ? ORDER BY m.id LIMIT ${WINDOW_MEMORIES}`;

interface Walked {
  readonly id: string;
  readonly tokens: number;
  readonly embedded: boolean;
}

interface Walk {
  readonly generation: string;
  readonly now: number;
  /** The walk starts after this memory id; null for all. */
  readonly after: string | null;
}

/** Returns at most `limit` memories, in the order of ids. */
export async function missingMemories(
  connection: Connection,
  tenant: string,
  query: Parameters<EmbeddingRecords['missing']>[1],
): Promise<readonly Unembedded[]> {
  const found: Unembedded[] = [];
  for await (const window of windows(connection, tenant, query)) {
    const all = window.filter(({ embedded }) => !embedded);
    const missing = all.slice(0, query.limit - found.length);
    // A memory deleted in between is no longer missing.
    const ids = JSON.stringify(missing.map(({ id }) => id));
    const rows = await connection.readOne(() => connection.all(CONTENTS, [tenant, ids]));
    found.push(...rows.map(unembedded));
    // The page ends where it was cut, even if some of its memories were deleted in between.
    const isCut = missing.length < all.length && found.length > 0;
    if (isCut || found.length >= query.limit) break;
  }
  return found;
}

export async function countEmbeddedAndMissing(
  connection: Connection,
  tenant: string,
  query: { readonly generation: string; readonly now: number },
): Promise<{ done: number; missing: number; missingTokens: number }> {
  const progress = { done: 0, missing: 0, missingTokens: 0 };
  for await (const window of windows(connection, tenant, { ...query, after: null })) {
    for (const { embedded, tokens } of window) {
      if (embedded) {
        progress.done += 1;
      } else {
        progress.missing += 1;
        progress.missingTokens += tokens;
      }
    }
  }
  return progress;
}

/** Yields the live memories of a tenant. It ends, since ids only rise, unless more are added. */
async function* windows(
  connection: Connection,
  tenant: string,
  { generation, now, after }: Walk,
): AsyncGenerator<readonly Walked[]> {
  for (let last = after ?? ''; ; await nextTurn()) {
    const from = last;
    const rows = await connection.read(() =>
      connection.all(WINDOW, [now, generation, tenant, from]),
    );
    yield rows
      .filter((row) => row['live'] === 1)
      .map((row) => ({
        id: String(row['id']),
        tokens: Number(row['tokens']),
        embedded: row['embedded'] === 1,
      }));
    if (rows.length < WINDOW_MEMORIES) return;
    last = String(rows.at(-1)?.['id']);
  }
}

const CONTENTS = `SELECT id, record ->> '$.content' AS content, content_hash, token_count
  FROM memories WHERE tenant = ? AND id IN (SELECT value FROM json_each(?)) ORDER BY id`;

function unembedded(row: Row): Unembedded {
  return {
    id: String(row['id']),
    content: String(row['content']),
    contentHash: String(row['content_hash']),
    tokenCount: Number(row['token_count']),
  };
}

const OTHERS = `
  SELECT v.memory_id AS id FROM memory_vectors v
  WHERE v.tenant = ? AND v.generation = ? AND NOT EXISTS (
    SELECT 1 FROM memories m
    WHERE m.tenant = v.tenant AND m.id = v.memory_id AND m.embedding_generation = v.generation
  ) LIMIT ?`;

/** Returns memories with a vector of a generation that is not their own. */
export async function othersWithVector(
  connection: Connection,
  tenant: string,
  { generation, limit }: { readonly generation: string; readonly limit: number },
): Promise<readonly { readonly id: string }[]> {
  const rows = await connection.read(() => connection.all(OTHERS, [tenant, generation, limit]));
  return rows.map((row) => ({ id: String(row['id']) }));
}

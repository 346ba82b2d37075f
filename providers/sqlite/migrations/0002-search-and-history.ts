/**
 * Terms and touches for search, the history of memories, embedding generations,
 * and the bytes that a scope holds. What the rows of the first schema lack is computed from them;
 * terms come with the first open, since SQL can't analyse a text (terms.ts).
 */
export const SEARCH_AND_HISTORY = `
CREATE TABLE memory_terms (
  tenant TEXT NOT NULL,
  layer TEXT NOT NULL,
  scope_id TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  -- Of the analyzer that made the terms.
  revision TEXT NOT NULL,
  -- In the order of the text, joined by one space.
  terms TEXT NOT NULL,
  PRIMARY KEY (tenant, layer, scope_id, memory_id)
) STRICT, WITHOUT ROWID;

-- One row, once every memory has terms of its revision: then there is nothing to look for at open.
CREATE TABLE terms_complete (
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  revision TEXT NOT NULL
) STRICT;

-- The last change of each memory, also of a deleted one: what an index in memory catches up with.
-- No row is removed but by a newer one, so that seq rises without AUTOINCREMENT and its table.
CREATE TABLE memory_touches (
  seq INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  layer TEXT NOT NULL,
  scope_id TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  UNIQUE (tenant, layer, scope_id, memory_id)
) STRICT;
CREATE INDEX memory_touches_by_scope ON memory_touches (tenant, layer, scope_id, seq);
INSERT INTO memory_touches (tenant, layer, scope_id, memory_id)
  SELECT tenant, layer, scope_id, id FROM memories ORDER BY tenant, id;

CREATE TABLE memory_changes (
  tenant TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (tenant, memory_id, version)
) STRICT, WITHOUT ROWID;

-- A text that a memory has is not embedded again: its vector is found by the hash of its content.
-- The beginning tells nearly all apart; the whole hash would make every write touch more pages.
CREATE INDEX memories_by_content ON memories (tenant, substr(content_hash, 1, 8));
CREATE INDEX memories_by_generation ON memories (tenant, embedding_generation, id);

-- Vectors of contents that no memory may have any more.
CREATE TABLE embedding_cache (
  tenant TEXT NOT NULL,
  generation TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  -- When a memory last had it.
  used_at INTEGER NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY (tenant, generation, content_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX embedding_cache_by_use ON embedding_cache (tenant, used_at);

CREATE TABLE embeddings (
  tenant TEXT NOT NULL PRIMARY KEY,
  phase TEXT NOT NULL,
  version INTEGER NOT NULL,
  record TEXT NOT NULL
) STRICT;
CREATE INDEX embeddings_changing ON embeddings (tenant) WHERE phase <> 'Steady';

-- Of the model, not of what anybody said: the one table without a tenant.
CREATE TABLE calibrations (
  generation TEXT NOT NULL PRIMARY KEY,
  record TEXT NOT NULL
) STRICT;

ALTER TABLE idempotency ADD COLUMN operation_id TEXT NOT NULL DEFAULT '';
ALTER TABLE idempotency ADD COLUMN started_at INTEGER NOT NULL DEFAULT 0;

ALTER TABLE scopes ADD COLUMN source_bytes INTEGER NOT NULL DEFAULT 0;
UPDATE scopes SET source_bytes = (
  SELECT coalesce(sum(octet_length(m.record ->> 'content')), 0) FROM memories m
  WHERE m.tenant = scopes.tenant AND m.layer = scopes.layer AND m.scope_id = scopes.scope_id
    AND m.counted = 1
);
UPDATE scopes SET source_bytes = source_bytes + (
  SELECT coalesce(sum(octet_length(t.record ->> 'content')), 0) FROM turns t
  WHERE t.tenant = scopes.tenant AND t.session_id = scopes.scope_id AND t.compacted_at IS NULL
) WHERE layer = 'session';
`;

/**
 * Fewer pages in every write: a commit writes each page that it touched, whole, and waits for them.
 *
 * Vectors are no longer kept in the index of their key. There a row beyond a quarter of a page
 * takes a page of its own, so that pages had to be large; in a table of their own rows lie side by
 * side whatever the number of dimensions, and pages may be small (PAGE_BYTES in store.ts).
 */
export const LIGHTER_WRITES = `
ALTER TABLE memory_vectors RENAME TO former_vectors;
CREATE TABLE memory_vectors (
  tenant TEXT NOT NULL,
  generation TEXT NOT NULL,
  layer TEXT NOT NULL,
  scope_id TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY (tenant, generation, layer, scope_id, memory_id)
) STRICT;
INSERT INTO memory_vectors SELECT * FROM former_vectors;
DROP TABLE former_vectors;

ALTER TABLE embedding_cache RENAME TO former_cache;
CREATE TABLE embedding_cache (
  tenant TEXT NOT NULL,
  generation TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  -- When a memory last had it.
  used_at INTEGER NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY (tenant, generation, content_hash)
) STRICT;
INSERT INTO embedding_cache SELECT * FROM former_cache;
DROP TABLE former_cache;
CREATE INDEX embedding_cache_by_use ON embedding_cache (tenant, used_at);

-- Every change of a memory, also its deletion: what an index in memory catches up with. The seq
-- rises within a scope; the oldest are forgotten (touches.ts).
ALTER TABLE memory_touches RENAME TO former_touches;
CREATE TABLE memory_touches (
  tenant TEXT NOT NULL,
  layer TEXT NOT NULL,
  scope_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  memory_id TEXT NOT NULL,
  PRIMARY KEY (tenant, layer, scope_id, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO memory_touches SELECT tenant, layer, scope_id, seq, memory_id FROM former_touches;
DROP TABLE former_touches;
`;

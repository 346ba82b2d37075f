/**
 * Tables besides those of the kinds, which the driver creates (store/record-kinds-and-indexes.ts):
 * the vectors and terms of memories, by keys that searches walk along, and the touches from which
 * an index in memory catches up. Also the indexes that search threads keep.
 */
export const INITIAL = `
CREATE TABLE schema_version (
  version INTEGER PRIMARY KEY,
  applied_at INTEGER NOT NULL
) STRICT;

-- Not in the index of the key: a row beyond a quarter of a page would take a page of its own there.
CREATE TABLE memory_vectors (
  tenant TEXT NOT NULL,
  generation TEXT NOT NULL,
  layer TEXT NOT NULL,
  scope_id TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY (tenant, generation, layer, scope_id, memory_id)
) STRICT;

-- Vectors of contents that no memory may have any more.
CREATE TABLE embedding_cache (
  tenant TEXT NOT NULL,
  generation TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  -- When a memory last had it.
  used_at INTEGER NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY (tenant, generation, content_hash)
) STRICT;
CREATE INDEX embedding_cache_by_use ON embedding_cache (tenant, used_at);

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

-- Every change of a memory, also its deletion: what an index in memory catches up with. The seq
-- rises within a scope; the oldest are forgotten (touches.ts).
CREATE TABLE memory_touches (
  tenant TEXT NOT NULL,
  layer TEXT NOT NULL,
  scope_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  memory_id TEXT NOT NULL,
  PRIMARY KEY (tenant, layer, scope_id, seq)
) STRICT, WITHOUT ROWID;

-- One row: the highest touch that an erasure took. Later ones leave a gap after it, by which an
-- index in memory knows that it is of a scope that is no more (touches.ts).
CREATE TABLE touches_erased (
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  seq INTEGER NOT NULL
) STRICT;

-- Indexes of scopes that search threads save, so that other processes need not build them.
-- Derived from the other tables, and as of a touch: all but the vectors. The place is the layer and
-- id of the scope in one, so that an erasure of whatever in a tenant takes all indexes of it.
CREATE TABLE memory_indexes (
  tenant TEXT NOT NULL,
  place TEXT NOT NULL,
  part TEXT NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (tenant, place, part)
) STRICT;

-- One row: how often indexes were erased. A thread that read memories before keeps nothing of them.
CREATE TABLE indexes_erased (
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  times INTEGER NOT NULL
) STRICT;
`;

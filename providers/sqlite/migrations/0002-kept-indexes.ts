/** Indexes of scopes that search threads save, so that other processes need not build them. */
export const KEPT_INDEXES = `
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

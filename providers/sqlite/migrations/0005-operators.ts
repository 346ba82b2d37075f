/**
 * What an operator keeps in the store: who leads, which tenants are released, and the providers of
 * models. And where touches go on once a tenant was erased.
 */
export const OPERATORS = `
ALTER TABLE policies ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
ALTER TABLE policies ADD COLUMN released_at INTEGER;
CREATE INDEX policies_released ON policies (tenant) WHERE released_at IS NOT NULL;

-- Of clusters and of the installation: no tenant is in these three.
CREATE TABLE policy_fences (
  cluster TEXT NOT NULL PRIMARY KEY,
  epoch INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE model_providers (
  name TEXT NOT NULL PRIMARY KEY,
  generation INTEGER NOT NULL,
  hash TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  record TEXT NOT NULL
) STRICT;

-- One row: the highest touch that an erasure took. Later ones leave a gap after it, by which an
-- index in memory knows that it is of a scope that is no more (touches.ts).
CREATE TABLE touches_erased (
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  seq INTEGER NOT NULL
) STRICT;
`;

/**
 * The first schema: every record of the data model (design 5), also those that later issues fill.
 *
 * Every key and every index begins with the tenant, so that no query can touch another tenant's
 * rows by mistake; the exceptions are named where they stand. A column is a key, a condition or a
 * counter; the rest of a record is JSON in `record`. Small rows are kept in the index of their key
 * (WITHOUT ROWID); large ones are not, since they would spread the keys over many pages.
 */
export const INITIAL = `
CREATE TABLE schema_version (
  version INTEGER PRIMARY KEY,
  applied_at INTEGER NOT NULL
) STRICT;

CREATE TABLE memories (
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  layer TEXT NOT NULL,
  scope_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  key TEXT,
  state TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  valid_from INTEGER NOT NULL,
  valid_to INTEGER,
  expires_at INTEGER,
  -- The earlier of valid_to and expires_at: when the memory stops being a source by itself.
  ends_at INTEGER,
  -- Whether its lane is folded into the source hash of its scope.
  counted INTEGER NOT NULL,
  version INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  token_count INTEGER NOT NULL,
  embedding_generation TEXT,
  record TEXT NOT NULL,
  PRIMARY KEY (tenant, id)
) STRICT;
CREATE INDEX memories_by_scope ON memories (tenant, layer, scope_id, id);
CREATE UNIQUE INDEX memories_by_key ON memories (tenant, layer, scope_id, key)
  WHERE key IS NOT NULL AND state = 'active';
CREATE INDEX memories_by_end ON memories (tenant, layer, scope_id, ends_at)
  WHERE counted = 1 AND ends_at IS NOT NULL;

CREATE TABLE memory_vectors (
  tenant TEXT NOT NULL,
  generation TEXT NOT NULL,
  layer TEXT NOT NULL,
  scope_id TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY (tenant, generation, layer, scope_id, memory_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE turns (
  tenant TEXT NOT NULL,
  session_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  id TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  at INTEGER NOT NULL,
  token_count INTEGER NOT NULL,
  flush_id TEXT,
  compacted_at INTEGER,
  record TEXT NOT NULL,
  PRIMARY KEY (tenant, session_id, sequence)
) STRICT;
CREATE UNIQUE INDEX turns_by_id ON turns (tenant, session_id, id);
CREATE INDEX turns_by_time ON turns (tenant, at) WHERE compacted_at IS NULL;

CREATE TABLE scopes (
  tenant TEXT NOT NULL,
  layer TEXT NOT NULL,
  scope_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  source_count INTEGER NOT NULL,
  source_tokens INTEGER NOT NULL,
  source_hash TEXT NOT NULL,
  changes INTEGER NOT NULL,
  -- When the scope is to be looked at: at its due mark or when its next source ends.
  due_at INTEGER,
  urgent INTEGER NOT NULL,
  lease_until INTEGER,
  lease_claim_id TEXT,
  lease_batch_id TEXT,
  record TEXT NOT NULL,
  PRIMARY KEY (tenant, layer, scope_id)
) STRICT;
CREATE INDEX scopes_by_due ON scopes (tenant, urgent, due_at) WHERE due_at IS NOT NULL;
-- The one question that is asked across tenants: whose turn is it. It answers tenant ids only.
CREATE INDEX scopes_by_due_of_all_tenants ON scopes (due_at, tenant, lease_until)
  WHERE due_at IS NOT NULL;
CREATE INDEX scopes_by_claim ON scopes (tenant, lease_claim_id) WHERE lease_claim_id IS NOT NULL;
CREATE INDEX scopes_by_batch ON scopes (tenant, lease_batch_id) WHERE lease_batch_id IS NOT NULL;

CREATE TABLE summaries (
  tenant TEXT NOT NULL,
  layer TEXT NOT NULL,
  scope_id TEXT NOT NULL,
  audience TEXT NOT NULL,
  id TEXT NOT NULL,
  source_hash TEXT NOT NULL,
  recipe_hash TEXT NOT NULL,
  generated_at INTEGER NOT NULL,
  checked_at INTEGER NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (tenant, layer, scope_id, audience)
) STRICT;

CREATE TABLE segments (
  tenant TEXT NOT NULL,
  layer TEXT NOT NULL,
  scope_id TEXT NOT NULL,
  segment_id TEXT NOT NULL,
  source_hash TEXT NOT NULL,
  recipe_hash TEXT NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (tenant, layer, scope_id, segment_id)
) STRICT;

CREATE TABLE answers (
  tenant TEXT NOT NULL,
  attempt_id TEXT NOT NULL,
  batch_id TEXT NOT NULL,
  prompt_hash TEXT NOT NULL,
  state TEXT NOT NULL,
  at INTEGER NOT NULL,
  -- Apart from the record, so that it can be forgotten while what it cost stays known.
  text TEXT,
  record TEXT NOT NULL,
  PRIMARY KEY (tenant, attempt_id)
) STRICT;
CREATE INDEX answers_by_batch ON answers (tenant, batch_id, prompt_hash);

CREATE TABLE accounts (
  tenant TEXT NOT NULL,
  period TEXT NOT NULL,
  limit_tokens INTEGER,
  limit_micro_dollars INTEGER,
  version INTEGER NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (tenant, period)
) STRICT;

CREATE TABLE ledger (
  tenant TEXT NOT NULL,
  attempt_id TEXT NOT NULL,
  period TEXT NOT NULL,
  batch_id TEXT NOT NULL,
  state TEXT NOT NULL,
  outcome TEXT NOT NULL,
  reserved_at INTEGER NOT NULL,
  settled_at INTEGER,
  record TEXT NOT NULL,
  PRIMARY KEY (tenant, attempt_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX ledger_by_batch ON ledger (tenant, batch_id, reserved_at);
CREATE INDEX ledger_by_time ON ledger (tenant, reserved_at);
CREATE INDEX ledger_by_state ON ledger (tenant, reserved_at) WHERE state = 'Reserved';

CREATE TABLE documents (
  tenant TEXT NOT NULL,
  subject TEXT NOT NULL,
  path TEXT NOT NULL,
  version INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (tenant, subject, path, version)
) STRICT;

-- From a source to the texts that cite it. 'part' tells texts of one scope apart: the audience of a
-- summary, the id of a segment.
CREATE TABLE lineage (
  tenant TEXT NOT NULL,
  source_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  layer TEXT NOT NULL,
  scope_id TEXT NOT NULL,
  part TEXT NOT NULL,
  PRIMARY KEY (tenant, source_id, kind, layer, scope_id, part)
) STRICT, WITHOUT ROWID;
CREATE INDEX lineage_by_text ON lineage (tenant, kind, layer, scope_id, part);

CREATE TABLE policies (
  tenant TEXT NOT NULL PRIMARY KEY,
  generation INTEGER NOT NULL,
  hash TEXT NOT NULL,
  applied_at INTEGER NOT NULL,
  record TEXT NOT NULL
) STRICT;

CREATE TABLE wakes (
  tenant TEXT NOT NULL PRIMARY KEY,
  wanted INTEGER NOT NULL,
  acknowledged INTEGER NOT NULL,
  wanted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX wakes_open ON wakes (tenant, wanted_at) WHERE wanted > acknowledged;

CREATE TABLE events (
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE outbox (
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  visible_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (tenant, id)
) STRICT;
CREATE INDEX outbox_by_time ON outbox (tenant, visible_at);

CREATE TABLE idempotency (
  tenant TEXT NOT NULL,
  key TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (tenant, key)
) STRICT;
CREATE INDEX idempotency_by_end ON idempotency (tenant, expires_at);

CREATE TABLE audit (
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  principal TEXT NOT NULL,
  action TEXT NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (tenant, id)
) STRICT;
`;

/** The Markdown tiers and what dreams owe; which turns are old, whose text is to be forgotten. */
export const DOCUMENTS_AND_RETENTION = `
-- No version wrote into the former table.
DROP TABLE documents;
CREATE TABLE documents (
  tenant TEXT NOT NULL,
  subject TEXT NOT NULL,
  path TEXT NOT NULL,
  version INTEGER NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  key TEXT,
  at INTEGER NOT NULL,
  dreamed_at INTEGER,
  record TEXT NOT NULL,
  PRIMARY KEY (tenant, subject, path, version)
) STRICT;
CREATE UNIQUE INDEX documents_by_key ON documents (tenant, subject, path, key)
  WHERE key IS NOT NULL;

CREATE TABLE subjects (
  tenant TEXT NOT NULL,
  subject TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  has_new INTEGER NOT NULL,
  version INTEGER NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (tenant, subject)
) STRICT;
CREATE UNIQUE INDEX subjects_by_id ON subjects (tenant, subject_id);
CREATE INDEX subjects_by_new ON subjects (tenant, has_new, subject);

CREATE TABLE dream_schedules (
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  policy_generation INTEGER NOT NULL,
  due_at INTEGER,
  version INTEGER NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (tenant, name)
) STRICT;
-- Asked across tenants: whose time has come.
CREATE INDEX dream_schedules_by_due_of_all_tenants ON dream_schedules (due_at, tenant, name)
  WHERE due_at IS NOT NULL;

CREATE TABLE proposals (
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  subject TEXT NOT NULL,
  state TEXT NOT NULL,
  owed_at INTEGER,
  version INTEGER NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (tenant, id)
) STRICT;
CREATE INDEX proposals_by_subject ON proposals (tenant, subject, id);
CREATE INDEX proposals_by_state ON proposals (tenant, state, id);
-- Asked across tenants: what was approved and is not applied.
CREATE INDEX proposals_by_owed_of_all_tenants ON proposals (owed_at, tenant, id)
  WHERE owed_at IS NOT NULL;

-- Turns that have their text, the oldest of a tenant first: which sessions they are of is read from
-- the index alone.
DROP INDEX turns_by_time;
CREATE INDEX turns_by_time ON turns (tenant, at, session_id) WHERE compacted_at IS NULL;
-- The same by session, which tells its oldest one.
CREATE INDEX turns_by_text ON turns (tenant, session_id, at) WHERE compacted_at IS NULL;
CREATE INDEX answers_by_text ON answers (tenant, at) WHERE text IS NOT NULL;
`;

/** Personalised variants: who reads which summaries, and what is owed to them. */
export const VARIANTS = `
CREATE TABLE variants (
  tenant TEXT NOT NULL,
  layer TEXT NOT NULL,
  scope_id TEXT NOT NULL,
  audience TEXT NOT NULL,
  last_read_at INTEGER NOT NULL,
  due_at INTEGER,
  lease_until INTEGER,
  lease_claim_id TEXT,
  lease_batch_id TEXT,
  version INTEGER NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (tenant, layer, scope_id, audience)
) STRICT;
CREATE INDEX variants_by_due ON variants (tenant, due_at) WHERE due_at IS NOT NULL;
-- Asked across tenants: whose turn is it. It answers tenant ids only.
CREATE INDEX variants_by_due_of_all_tenants ON variants (due_at, tenant, lease_until)
  WHERE due_at IS NOT NULL;
CREATE INDEX variants_by_claim ON variants (tenant, lease_claim_id)
  WHERE lease_claim_id IS NOT NULL;
CREATE INDEX variants_by_batch ON variants (tenant, lease_batch_id)
  WHERE lease_batch_id IS NOT NULL;
`;

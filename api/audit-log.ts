/**
 * Keeps an entry for every write and every refused call: who, what, which ids and how it ended. Ids
 * come only from fields that hold nothing else, so that no text of a memory gets in.
 */
import { DAY_MS } from '#core/duration.ts';
import { VarveError } from '#core/errors.ts';
import { policyInForce } from '#core/policy/policy-in-force.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';
import { AUDIT_ENTRIES_MAX, AUDIT_IDS_MAX } from '#core/records/audit-entry.ts';
import type { AuditLog } from './api-ports.ts';
import type { Principal } from './principal.ts';

interface AuditOptions {
  readonly store: Pick<Store, 'audit' | 'policies'>;
  readonly platform: Platform;
  /** How long entries are kept if the policy of their tenant does not say. */
  readonly days: number;
}

/** Entries of a tenant between two sweeps; a sweep deletes more than that. */
const NOTES_PER_SWEEP = 200;
/** Maximum tenants whose entries are counted; one that drops out is swept later. */
const TENANTS_MAX = 10_000;
const ID_LENGTH_MAX = 256;
const DEPTH_MAX = 4;

export function createAuditLog({ store, platform, days }: AuditOptions): AuditLog {
  const notes = new Map<string, number>();
  const sweepIfDue = async (tenant: string, now: number): Promise<void> => {
    const count = (notes.get(tenant) ?? 0) + 1;
    if (notes.size >= TENANTS_MAX) notes.clear();
    notes.set(tenant, count % NOTES_PER_SWEEP);
    if (count % NOTES_PER_SWEEP !== 0) return;
    await store.audit.sweep(tenant, { now, most: AUDIT_ENTRIES_MAX });
  };
  return {
    async note({ principal, operation, outcome, input, answer }) {
      const tenant = tenantOf(principal, input);
      if (tenant === null) return;
      const at = platform.clock();
      const id = platform.newId();
      try {
        const { auditRetentionDays = days } = await policyInForce(store.policies, tenant);
        await store.audit.append({
          tenant,
          id,
          at,
          principal: principal.name,
          operation,
          outcome: deletedNothing(answer) ? NOTHING_DELETED : outcome,
          ...idsOf([input, answer]),
          expiresAt: at + auditRetentionDays * DAY_MS,
        });
        await sweepIfDue(tenant, at);
      } catch (error) {
        const code = error instanceof VarveError ? error.code : 'CORRUPT';
        platform.log.error({ tenant, operation, outcome, code }, 'failed to store an audit entry');
      }
    },
  };
}

const NOTHING_DELETED = 'MEMORY_NOT_FOUND';

/** A deletion that finds nothing is no error for its caller, who may repeat it, but no deletion. */
function deletedNothing(answer: unknown): boolean {
  const deleted = (answer as { deleted?: unknown } | null)?.deleted;
  return deleted === false || (Array.isArray(deleted) && deleted.length === 0);
}

/** A caller of one tenant writes into its own audit only: a refusal must not reach another's. */
function tenantOf({ tenants }: Principal, input: unknown): string | null {
  if (tenants !== 'all') return tenants[0] ?? null;
  const named = (input as { tenant?: unknown } | null | undefined)?.tenant;
  return typeof named === 'string' ? named : null;
}

/** Fields whose values are ids or names of places. */
const ID_FIELDS = new Set(
  (
    'tenant id ids turnIds layer layers scopeId sourceId kind path ' +
    'agentId userId sessionId projectId teamId orgId companyId'
  ).split(' '),
);
/** Fields that hold objects with such fields; no other fields are searched. */
const CONTAINERS = new Set(
  'identifiers subject memory memories items turns results scope'.split(' '),
);

/** Returns the ids that a call and its answer name, each once. */
function idsOf(parts: readonly unknown[]): {
  ids: Record<string, string[]>;
  idsLeftOut: number;
} {
  const found = new Map<string, Set<string>>();
  for (const part of parts) collect(part, found, DEPTH_MAX);
  let room = AUDIT_IDS_MAX;
  let idsLeftOut = 0;
  const ids: Record<string, string[]> = {};
  for (const [field, values] of found) {
    const kept = [...values].slice(0, room);
    room -= kept.length;
    idsLeftOut += values.size - kept.length;
    if (kept.length > 0) ids[field] = kept;
  }
  return { ids, idsLeftOut };
}

function collect(part: unknown, found: Map<string, Set<string>>, depth: number): void {
  if (depth === 0 || typeof part !== 'object' || part === null) return;
  if (Array.isArray(part)) {
    for (const each of part) collect(each, found, depth);
    return;
  }
  for (const [field, value] of Object.entries(part)) {
    if (CONTAINERS.has(field)) collect(value, found, depth - 1);
    if (!ID_FIELDS.has(field)) continue;
    const known = found.get(field) ?? new Set();
    for (const each of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (typeof each === 'string') known.add(each.slice(0, ID_LENGTH_MAX));
    }
    if (known.size > 0) found.set(field, known);
  }
}

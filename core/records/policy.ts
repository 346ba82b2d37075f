/** The compiled policy of a tenant: what the workers read, however it was declared. */
import { DAY_MS } from '../duration.ts';
import { z } from 'zod';
import { AUDIT_DAYS_MAX } from './audit-entry.ts';
import { DreamPolicy, DREAMS_PER_TENANT_MAX } from './dream-policy.ts';
import { ROUTED_KINDS, ROUTED_LAYERS } from './extracted-statement.ts';
import { Hierarchy } from '../identifiers.ts';
import { Layer } from '../layer.ts';
import { ModelClass } from './model-class.ts';
import { TenantId } from '../scope.ts';
import { Depth } from './summary.ts';

const MINUTE_MS = 60_000;

/** A leap year: the longest duration in a policy. */
export const POLICY_MS_MAX = 366 * DAY_MS;

/** Workers look for due scopes every minute. */
export const SESSION_SILENCE_MS_MIN = MINUTE_MS;

const Millis = z.int().min(0).max(POLICY_MS_MAX);

const PROVIDER_LENGTH_MAX = 253;
const MODEL_LENGTH_MAX = 256;

/** A model of a ModelProvider; `modelNameOf` makes the installation's name of both. */
export const ModelChoice = z.strictObject({
  provider: z.string().min(1).max(PROVIDER_LENGTH_MAX),
  model: z.string().min(1).max(MODEL_LENGTH_MAX),
});
export type ModelChoice = z.infer<typeof ModelChoice>;

/** By class; null if the installation's own settings serve the class. */
export const PolicyModels = z.strictObject({
  economy: ModelChoice.nullable(),
  standard: ModelChoice.nullable(),
});
export type PolicyModels = z.infer<typeof PolicyModels>;

/** When and how the summaries of one layer are made. */
export const LayerPolicy = z.strictObject({
  depths: z.array(Depth).min(1),
  /** A changed scope is due this long after its last check. */
  updateIntervalMs: Millis,
  /** A scope with this many changes since its summary is due at once. */
  updateOnChanges: z.int().min(1).max(1_000_000),
  /** An older summary is stale and due, whatever its hash. */
  maxAgeMs: Millis,
  skipIfUnchanged: z.boolean(),
  /** How long due scopes wait for others, so that one model call can serve many. */
  batchWindowMs: Millis,
  personalized: z.boolean(),
  modelClass: ModelClass,
});
export type LayerPolicy = z.infer<typeof LayerPolicy>;

export const BudgetPolicy = z.strictObject({
  /** Both null: no limit. A period is a calendar month in UTC. */
  limitTokens: z.int().min(0).nullable(),
  limitMicroDollars: z.int().min(0).nullable(),
  onExhausted: z.enum(['Reject', 'ServeStale', 'Extractive']),
});
export type BudgetPolicy = z.infer<typeof BudgetPolicy>;

export const TenantPolicy = z.strictObject({
  tenant: TenantId,
  hierarchy: Hierarchy,
  budget: BudgetPolicy,
  /** Further urgent marks within this time join the first (design 6.13). */
  urgentDebounceMs: Millis,
  /** What a changed recipe does to summaries that an older recipe made (design 6.14). */
  onRecipeChange: z.enum(['AtNextDue', 'Backfill']),
  context: z.strictObject({
    maxTokens: z.int().min(1).max(1_000_000),
    hotTurnsLimit: z.int().min(0).max(100),
    relatedEntitiesLimit: z.int().min(0).max(200),
    /** The fixed text that opens every assembled context. */
    instructions: z.string().max(4_000),
    /** Share of the limit for text of tools and strangers in earlier turns; 50 if absent. */
    untrustedPercent: z.int().min(0).max(100).optional(),
  }),
  transcriptRetentionDays: z.int().min(1).max(36_500),
  /** After this much silence a session has ended; `SESSION_SILENCE_MS` if absent. */
  sessionSilenceMs: Millis.min(SESSION_SILENCE_MS_MIN).optional(),
  /** How long the audit is kept; the installation's setting if absent. */
  auditRetentionDays: z.int().min(1).max(AUDIT_DAYS_MAX).optional(),
  /**
   * The least interval of the platform. Only a person can have a scope checked, or a dream run,
   * sooner after the last time. Absent if there is none.
   */
  leastIntervalMs: Millis.optional(),
  /**
   * The largest budget of the platform, including grants; null for no limit of that measure. Absent
   * if the platform sets none.
   */
  largestBudget: z
    .strictObject({ tokens: z.int().min(0).nullable(), microDollars: z.int().min(0).nullable() })
    .optional(),
  layers: z.record(Layer, LayerPolicy),
  /** The models that extract lasting statements from sessions; absent if rules do. */
  extraction: z.strictObject({ modelClass: ModelClass }).optional(),
  /** Where statements of a kind are kept if the call opens that layer; absent if nothing is set. */
  statementLayers: z
    .partialRecord(z.enum(ROUTED_KINDS), z.enum(ROUTED_LAYERS).optional())
    .optional(),
  /** The models that judge what the grounding rules doubt; absent if rules judge alone. */
  grounding: z.strictObject({ verify: ModelClass }).optional(),
  /** Absent if no ModelProvider serves the tenant. */
  models: PolicyModels.optional(),
  /** By name; absent if there are none. */
  dreams: z.array(DreamPolicy).max(DREAMS_PER_TENANT_MAX).optional(),
});
export type TenantPolicy = z.infer<typeof TenantPolicy>;

/** What an installation sets for tenants without a policy of their own. */
export type PolicyDefaults = Readonly<
  Partial<
    Pick<TenantPolicy['context'], 'maxTokens' | 'hotTurnsLimit' | 'relatedEntitiesLimit'> &
      Pick<TenantPolicy, 'transcriptRetentionDays'>
  >
>;

/** The part of a policy that decides when a scope is due. */
export interface DuePolicy {
  readonly layer: Pick<
    LayerPolicy,
    'updateIntervalMs' | 'updateOnChanges' | 'maxAgeMs' | 'skipIfUnchanged'
  >;
  readonly urgentDebounceMs: number;
  /** Set by the platform; absent if it sets none. */
  readonly leastIntervalMs?: number;
}

/** The cluster of policies that are read from a folder. */
export const FOLDER_CLUSTER = 'folder';

export const Owner = z.strictObject({
  /** Name of the cluster, or `folder` for YAML read from disk. */
  cluster: z.string(),
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
});
export type Owner = z.infer<typeof Owner>;

/** The policy snapshot of a tenant in the store: the last valid one, and who declared it. */
export const PolicyRecord = z.strictObject({
  tenant: TenantId,
  owner: Owner,
  /**
   * Rises by one with every policy that differs from the previous one, and with every new claim.
   */
  generation: z.int().min(1),
  hash: z.string(),
  policy: TenantPolicy,
  appliedAt: z.int().min(0),
  /** Epoch of the leader of the owner's cluster that last wrote or fenced; 0 without leaders. */
  epoch: z.int().min(0),
  /**
   * When its owner released the tenant: reads are served, nothing is refreshed, and another
   * resource of its namespace may claim it. Null while it has an owner.
   */
  releasedAt: z.int().min(0).nullable(),
  /**
   * When a folder erases the released tenant, unless a resource claims it before. Absent if it is
   * only released; in a cluster, the finalizer of the resource holds the order to erase.
   */
  erasesAt: z.int().min(0).optional(),
  /** Set if the tenant had memories before its first claim: no claim of it erases them. */
  hadMemories: z.literal(true).optional(),
});
export type PolicyRecord = z.infer<typeof PolicyRecord>;

/**
 * Returns whether two names identify one resource. A resource that was created again is another
 * one.
 */
export function isSameOwner(a: Owner, b: Owner): boolean {
  return (
    a.cluster === b.cluster && a.namespace === b.namespace && a.name === b.name && a.uid === b.uid
  );
}

/** Returns whether the tenant is no longer declared, so that nothing is refreshed. */
export function isReleased(record: Pick<PolicyRecord, 'releasedAt'> | null): boolean {
  return record !== null && record.releasedAt !== null;
}

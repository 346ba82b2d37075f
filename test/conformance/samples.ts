/** Complete, valid records for tests, which set only what they care about. */
import { contentHash } from '#core/hash.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import type { TenantPolicy, Owner } from '#core/records/policy.ts';
import type { WriteRules } from '#core/ports/write-rules-and-outcomes.ts';
import type { EventRecord } from '#core/records/event.ts';
import type { Memory } from '#core/records/memory.ts';
import type { Lease, ScopeRecord } from '#core/records/scope-record.ts';
import type { Summary } from '#core/records/summary.ts';
import type { Turn } from '#core/records/turn.ts';
import type { Scope } from '#core/scope.ts';
import { createPlatform } from '#providers/node/platform.ts';

export const { digest } = createPlatform();

/** The time of every sample: 2026-11-01 in UTC. */
export const NOW = Date.UTC(2026, 10, 1);
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The n-th id; ids sort by their number. */
export function idOf(n: number): string {
  return `01934000-0000-7000-8000-${String(n).padStart(12, '0')}`;
}

export function userScope(tenant: string, scopeId = 'ann'): Scope {
  return { tenant, layer: 'user', scopeId };
}

export function sessionScope(tenant: string, scopeId = 'call'): Scope {
  return { tenant, layer: 'session', scopeId };
}

/** A memory of the user "ann"; its content hash follows its content. */
export function memoryOf(tenant: string, n: number, differing: Partial<Memory> = {}): Memory {
  const content = differing.content ?? `The ${n}. thing that Ann said about her garden.`;
  return {
    ...userScope(tenant),
    id: idOf(n),
    kind: 'memory',
    content,
    contentHash: contentHash(digest, content),
    key: null,
    tags: [],
    metadata: {},
    origin: { channel: 'api', principal: 'tester', sources: [] },
    trust: 'stated',
    validFrom: NOW,
    validTo: null,
    supersededBy: null,
    expiresAt: null,
    state: 'active',
    version: 1,
    createdAt: NOW,
    updatedAt: NOW,
    tokenCount: 10,
    embeddingGeneration: null,
    vector: null,
    ...differing,
  };
}

/** The part of a patch that changes the content. */
export function newContent(content: string, tokenCount = 10) {
  return {
    content,
    contentHash: contentHash(digest, content),
    tokenCount,
    vector: null,
    embeddingGeneration: null,
    validFrom: NOW,
  };
}

/** A turn of the session "call". */
export function turnOf(tenant: string, n: number, differing: Partial<Turn> = {}) {
  const content = `What was said ${n} minutes into the call.`;
  const { sequence: _, ...rest } = differing;
  const turn: Omit<Turn, 'sequence'> = {
    tenant,
    sessionId: 'call',
    id: `turn-${n}`,
    role: 'user',
    speaker: null,
    content,
    saidUnits: null,
    contentHash: contentHash(digest, content),
    at: NOW + n * MINUTE_MS,
    tokenCount: 7,
    trust: 'stated',
    toolCalls: [],
    toolCallId: null,
    flushId: null,
    compactedAt: null,
    quotes: [],
    vectors: null,
    ...rest,
  };
  return turn;
}

/** Rules under which three changes make a scope due, half an hour after the last look at most. */
export function rulesAt(now: number, updateOnChanges = 3): WriteRules {
  const layer = {
    updateIntervalMs: 30 * MINUTE_MS,
    updateOnChanges,
    maxAgeMs: 24 * HOUR_MS,
    skipIfUnchanged: true,
  };
  return { now, policy: { layer, urgentDebounceMs: 15 * SECOND_MS } };
}

/** A summary whose facts rest on the given sources, one each. */
export function summaryOf(
  scope: Scope,
  sources: readonly string[],
  differing: Partial<Summary> = {},
): Summary {
  return {
    ...scope,
    audience: '',
    id: 'summary-1',
    facts: sources.map((id) => ({
      text: `A fact of ${id}.`,
      sources: [id],
      quote: null,
      speaker: null,
      trust: 'stated',
      at: NOW,
    })),
    depths: {},
    sourceHash: digest('sources'),
    sourceCount: sources.length,
    recipeHash: digest('recipe'),
    model: 'extractive',
    usage: { inputTokens: 0, outputTokens: 0 },
    priceMicroDollars: 0,
    trigger: 'Changes',
    generatedAt: NOW,
    checkedAt: NOW,
    personalized: false,
    personalizationContext: null,
    droppedFacts: [],
    contextVector: null,
    ...differing,
  };
}

export function eventOf(
  tenant: string,
  id: string,
  type: EventRecord['type'] = 'memory_summary_created',
): EventRecord {
  return { tenant, id, at: NOW, type, attributes: { sources: 1 } };
}

export function leaseOf(scope: ScopeRecord, differing: Partial<Lease> = {}): Lease {
  return {
    claimId: 'claim-1',
    batchId: 'batch-1',
    until: NOW + HOUR_MS,
    sourceHash: scope.sourceHash,
    changes: scope.changes,
    trigger: 'Changes',
    recipeHash: digest('recipe'),
    model: 'extractive',
    ...differing,
  };
}

export function ownerOf(name: string): Owner {
  return { cluster: 'folder', namespace: 'default', name, uid: `uid-${name}` };
}

/** A policy with a limit of its own, so that two are told apart. */
export function policyOf(tenant: string, limitTokens: number | null = null): TenantPolicy {
  const policy = defaultPolicy(tenant);
  return { ...policy, budget: { ...policy.budget, limitTokens } };
}

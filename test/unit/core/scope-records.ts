/** Complete scope records for tests of the domain, which set only what they care about. */
import { emptyScopeRecord, type ScopeRecord } from '#core/records/scope-record.ts';
import type { DuePolicy } from '#core/records/policy.ts';
import { userScope, digest, NOW, rulesAt } from '#test/conformance/samples.ts';

export const RECIPE = digest('recipe');
export const SOURCES = digest('sources');

/** A user's scope with three sources and a summary made at `NOW`; nothing is owed to it. */
export function settledScope(differing: Partial<ScopeRecord> = {}): ScopeRecord {
  return {
    ...emptyScopeRecord(userScope('acme')),
    sourceCount: 3,
    sourceTokens: 30,
    sourceBytes: 120,
    sourceHash: SOURCES,
    checkedAt: NOW,
    generatedAt: NOW,
    version: 7,
    ...differing,
  };
}

/** The hold of a failure. */
export function heldUntil(until: number): ScopeRecord['hold'] {
  return { until, dueAt: NOW, code: 'TIMEOUT', since: NOW, exhaustion: null };
}

export function duePolicy(differing: Partial<DuePolicy['layer']> = {}): DuePolicy {
  const { policy } = rulesAt(NOW);
  return { ...policy, layer: { ...policy.layer, ...differing } };
}

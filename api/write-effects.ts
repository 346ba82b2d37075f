/** What every write shares: the rules for due marks, and what it reports of its scope. */
import type { Layer } from '#core/layer.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { WriteRules } from '#core/ports/write-rules.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { duePolicyOf } from '#core/policy/policy-in-force.ts';
import type { ScopeEffect } from './schemas/shared-answers.ts';

export function writeRules(policy: TenantPolicy, layer: Layer, now: number): WriteRules {
  return { policy: duePolicyOf(policy, layer), now };
}

export function effectOf({ changes, dueAt, dueTrigger }: ScopeRecord): ScopeEffect {
  return { changes, dueAt, trigger: dueTrigger };
}

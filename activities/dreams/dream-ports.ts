/** The ports of dreams, and what all their activities share. */
import { VarveError } from '#core/errors.ts';
import { policyToRefreshBy } from '#core/policy/policy-in-force.ts';
import type { DreamModel } from '#core/ports/dream-model.ts';
import type { Metrics } from '#core/ports/metrics.ts';
import type { DreamOutcome } from '#core/records/dream-outcome.ts';
import { DEFAULT_DREAM } from '#core/policy/policy-defaults.ts';
import type { DreamPolicy } from '#core/records/dream-policy.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { SubjectRecord } from '#core/records/subject-record.ts';
import { subjectOfKey } from '#core/subject.ts';
import { dreamOfSubject } from '#core/memory-files/subject-time-zone.ts';
import type { RefreshPorts, Models } from '../refresh-ports.ts';

/** Within an activity, `models` are those of its tenant. */
export type DreamPorts = Pick<
  RefreshPorts,
  'store' | 'platform' | 'models' | 'tokens' | 'metrics' | 'calendar'
>;

/** Counts dreams that ended; one by default. */
export function countDream(metrics: Metrics, outcome: DreamOutcome, count = 1): void {
  if (count > 0) metrics.count('memory_dreams_total', { outcome }, count);
}

/**
 * Returns the dream model of that name.
 * @throws VarveError PROVIDER_REJECTED if it is not available
 */
export function dreamerOf({ dreamerByName, extractiveDreamer }: Models, name: string): DreamModel {
  const model = name === extractiveDreamer.name ? extractiveDreamer : dreamerByName(name);
  if (model !== undefined) return model;
  const message =
    'The model for dreams is not available. Configure it, or choose another for the class ' +
    'that the DeepDream names.';
  throw new VarveError('PROVIDER_REJECTED', message, { details: { model: name } });
}

/** The subject of a dream, and the rules that apply to it. */
export interface DreamSubject {
  readonly policy: TenantPolicy;
  readonly record: SubjectRecord;
  /** Name of the DeepDream whose rules apply; null if none covers the subject. */
  readonly dream: string | null;
  readonly rules: Omit<DreamPolicy, 'name' | 'agents' | 'users' | 'cron'>;
}

/** Reads a subject and its rules. Null if its tenant was released, or it no longer exists. */
export async function readSubject(
  { store }: Pick<DreamPorts, 'store'>,
  { tenant, subjectId }: { readonly tenant: string; readonly subjectId: string },
): Promise<DreamSubject | null> {
  const policy = await policyToRefreshBy(store.policies, tenant);
  const record = policy === null ? null : await store.subjects.byId(tenant, subjectId);
  const subject = record === null ? null : subjectOfKey(record.subject);
  if (policy === null || record === null || subject === null) return null;
  const dream = dreamOfSubject(policy.dreams ?? [], subject);
  return { policy, record, dream: dream?.name ?? null, rules: dream ?? DEFAULT_DREAM };
}

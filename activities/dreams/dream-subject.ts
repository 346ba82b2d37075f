/** Whose dream it is, and what it goes by. */
import { DEFAULT_DREAM, type DreamPolicy } from '#core/records/dream-policy.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { SubjectRecord } from '#core/records/subject-record.ts';
import { subjectOfKey } from '#core/subject.ts';
import { policyToRefreshBy } from '#core/policy/tenant-policy.ts';
import { dreamOfSubject } from '#core/tiers/subject-zone.ts';
import type { DreamPorts } from './dream-ports.ts';

export interface DreamSubject {
  readonly policy: TenantPolicy;
  readonly record: SubjectRecord;
  /** Name of the DeepDream that it goes by; null where none covers the subject. */
  readonly dream: string | null;
  readonly rules: Omit<DreamPolicy, 'name' | 'agents' | 'users' | 'cron'>;
}

/** Null where the tenant was let go of, or the subject is no more. */
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

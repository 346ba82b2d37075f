/** DeepDreams for tests, their times, and things Ann says that are worth a dream. */
import { DEFAULT_DREAM } from '#core/policy/policy-defaults.ts';
import type { DreamPolicy } from '#core/records/dream-policy.ts';
import { cronHash } from '#core/dreams/schedule-changes.ts';
import type { DreamSchedule } from '#core/records/dream-schedule.ts';

import { scheduleOf } from './document-samples.ts';
import { digest } from './samples.ts';

export const TEA = 'Ann prefers green tea in the morning.';
export const OSLO = 'Ann moved to Oslo in 2024.';
export const ROSES = 'Ann grows roses on her balcony.';

/** A DeepDream of every subject, each night at three. */
export function dreamPolicy(differing: Partial<DreamPolicy> = {}): DreamPolicy {
  return {
    ...DEFAULT_DREAM,
    name: 'nightly',
    agents: ['*'],
    users: ['*'],
    cron: '0 3 * * *',
    ...differing,
  };
}

/** The schedule of a DeepDream before its first round. */
export function newSchedule(tenant: string, dream: DreamPolicy, nextAt: number): DreamSchedule {
  const { name } = dream;
  return scheduleOf(tenant, { name, cronHash: cronHash(digest, dream), nextAt, last: null });
}

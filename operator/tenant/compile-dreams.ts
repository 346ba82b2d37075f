/** DeepDreams to what workers read of them: pure. */
import type { DreamPolicy } from '#core/records/dream-policy.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { DeepDream } from '#crds/deep-dream.ts';

export function compileDream({ metadata, spec }: DeepDream): DreamPolicy {
  const { subjects, cron, timeZone, lookbackDays, approval, guards, modelClass } = spec;
  return {
    name: metadata.name,
    ...subjects,
    cron,
    timeZone,
    lookbackDays,
    approval,
    ...guards,
    modelClass,
  };
}

/** The field of a policy: by name, and not there at all where nothing dreams. */
export function dreamsField(dreams: readonly DreamPolicy[]): Pick<TenantPolicy, 'dreams'> {
  if (dreams.length === 0) return {};
  return { dreams: dreams.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
}

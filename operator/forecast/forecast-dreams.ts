/**
 * Which dreams a changed policy would begin, change or end: pure. What they cost is not forecast:
 * a dream is as large as what is written until then, and only subjects with something new dream.
 */
import { isDeepStrictEqual } from 'node:util';
import type { DreamPolicy } from '#core/records/dream-policy.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { Calendar } from '#core/ports/calendar.ts';

export interface DreamForecast {
  readonly name: string;
  readonly change: 'Begins' | 'Changes' | 'Ends';
  /** As they would be; as they were for one that ends. */
  readonly cron: string;
  readonly timeZone: string;
  /** True where no day is one that the cron names. */
  readonly neverComes: boolean;
}

/** By name; those that stay as they are left out. */
export function forecastDreams(
  before: Pick<TenantPolicy, 'dreams'>,
  after: Pick<TenantPolicy, 'dreams'>,
  { calendar, now }: { readonly calendar: Pick<Calendar, 'nextTime'>; readonly now: number },
): readonly DreamForecast[] {
  const old = byName(before);
  const next = byName(after);
  const names = [...new Set([...old.keys(), ...next.keys()])].toSorted();
  return names.flatMap((name) => {
    const [was, is] = [old.get(name), next.get(name)];
    const shown = is ?? was;
    if (shown === undefined || isDeepStrictEqual(was, is)) return [];
    const change = was === undefined ? 'Begins' : is === undefined ? 'Ends' : 'Changes';
    const { cron, timeZone } = shown;
    const neverComes = calendar.nextTime(cron, timeZone, now) === null;
    return [{ name, change, cron, timeZone, neverComes } as const];
  });
}

function byName({ dreams = [] }: Pick<TenantPolicy, 'dreams'>): ReadonlyMap<string, DreamPolicy> {
  return new Map(dreams.map((dream) => [dream.name, dream]));
}

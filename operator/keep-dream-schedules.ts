/**
 * Keeps the schedules of a tenant's dreams in the store as its policy declares them. Nobody is
 * asked to dream here: whoever starts what is due finds it by the records alone.
 *
 * Guarantees: writes only what differs, each record over the version that was looked at; a policy
 * of an earlier generation changes nothing that a later one declared.
 */
import { scheduleChanges, type ScheduleChange } from '#core/dreams/schedule-changes.ts';
import type { TenantPolicy } from '#core/policy/policy.ts';
import type { Calendar } from '#core/ports/calendar.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';

/** A record is written by every round as well: one lost race is ordinary, five are not. */
const ATTEMPTS_MAX = 5;

export interface DreamSchedulesContext {
  readonly store: Pick<Store, 'dreamSchedules'>;
  readonly platform: Platform;
  readonly calendar: Calendar;
  /** Asked before each write. @throws VarveError where nothing may be written */
  readonly requireLeading?: () => void;
}

export interface KeptSchedules {
  /** Schedules that were made, moved to another time or removed. */
  readonly changed: number;
  /** False where others wrote them each time; the next run looks again. */
  readonly isComplete: boolean;
}

/** To be asked for a policy that is in force. */
export async function keepDreamSchedules(
  { policy, generation }: { policy: TenantPolicy; generation: number },
  context: DreamSchedulesContext,
): Promise<KeptSchedules> {
  const { store, platform, calendar } = context;
  const { tenant, dreams = [], leastIntervalMs } = policy;
  const declared = { tenant, dreams, generation, leastIntervalMs };
  let changed = 0;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const stored = await store.dreamSchedules.list(tenant);
    const moment = { now: platform.clock(), calendar, digest: platform.digest };
    const changes = scheduleChanges(declared, stored, moment);
    const written = await writeAll(changes, declared, context);
    changed += written.changed;
    if (written.lost === 0) return { changed, isComplete: true };
  }
  return { changed, isComplete: false };
}

async function writeAll(
  changes: readonly ScheduleChange[],
  declared: { readonly tenant: string; readonly generation: number },
  { store, requireLeading }: DreamSchedulesContext,
): Promise<{ changed: number; lost: number }> {
  const { tenant, generation } = declared;
  const { dreamSchedules } = store;
  let [changed, lost] = [0, 0];
  for (const change of changes) {
    requireLeading?.();
    const isPut = change.kind === 'Put';
    const isWritten = isPut
      ? await dreamSchedules.put(change.schedule)
      : await dreamSchedules.remove(tenant, change.name, generation);
    if (!isWritten) lost += 1;
    else if (!isPut || change.isMoved) changed += 1;
  }
  return { changed, lost };
}

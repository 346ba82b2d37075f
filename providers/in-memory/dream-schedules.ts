/** When the DeepDreams of tenants come next. */
import type { DreamScheduleRecords } from '#core/ports/dream-records.ts';
import { dueAtOf, type DreamSchedule } from '#core/records/dream-schedule.ts';

import type { Database } from './database.ts';

export function dreamScheduleRecords(database: Database): DreamScheduleRecords {
  const { dreamSchedules } = database.tables;
  return {
    get: (tenant, name) => database.read(() => dreamSchedules.get(tenant, name)),
    list: (tenant) => database.read(() => dreamSchedules.group(tenant).toSorted(byName)),
    due: ({ now, limit }) =>
      database.read(() =>
        dreamSchedules
          .all()
          .map((schedule) => ({ schedule, dueAt: dueAtOf(schedule) ?? Infinity }))
          .filter(({ dueAt }) => dueAt <= now)
          .toSorted((a, b) => a.dueAt - b.dueAt || byName(a.schedule, b.schedule))
          .slice(0, limit)
          .map(({ schedule }) => schedule),
      ),
    put: (schedule) =>
      database.write(() => {
        const { tenant, name, version } = schedule;
        const before = dreamSchedules.get(tenant, name);
        if ((before?.version ?? 0) !== version - 1) return false;
        dreamSchedules.put(schedule);
        return true;
      }),
    remove: (tenant, name, policyGeneration) =>
      database.write(() => {
        const before = dreamSchedules.get(tenant, name);
        if (before === null) return true;
        if (before.policyGeneration > policyGeneration) return false;
        dreamSchedules.remove(before);
        return true;
      }),
  };
}

function byName(a: DreamSchedule, b: DreamSchedule): number {
  const nameOf = ({ tenant, name }: DreamSchedule) => [tenant, name].join('\0');
  return nameOf(a) < nameOf(b) ? -1 : 1;
}

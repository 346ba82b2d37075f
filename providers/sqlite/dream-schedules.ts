/** When the DeepDreams of tenants come next. */
import type { DreamScheduleRecords } from '#core/ports/dream-records.ts';
import { dueAtOf, type DreamSchedule } from '#core/records/dream-schedule.ts';

import type { Connection } from './connection.ts';
import { recordTable } from './record-table.ts';

export function dreamScheduleRecords(connection: Connection): DreamScheduleRecords {
  const schedules = recordTable<DreamSchedule>(connection, {
    name: 'dream_schedules',
    key: ['tenant', 'name'],
    columns: {
      tenant: 'tenant',
      name: 'name',
      policy_generation: 'policyGeneration',
      version: 'version',
    },
    derived: { due_at: dueAtOf },
    steady: ['due_at'],
  });
  return {
    get: (tenant, name) => connection.readOne(() => schedules.find(tenant, name)),
    list: (tenant) =>
      connection.readOne(() => schedules.select('tenant = ? ORDER BY name', [tenant])),
    due: ({ now, limit }) =>
      connection.readOne(() =>
        schedules.select('due_at <= ? ORDER BY due_at, tenant, name LIMIT ?', [now, limit]),
      ),
    put: (schedule) =>
      connection.write(() => {
        const { tenant, name, version } = schedule;
        if ((schedules.find(tenant, name)?.version ?? 0) !== version - 1) return false;
        schedules.put(schedule);
        return true;
      }),
    remove: (tenant, name, policyGeneration) =>
      connection.write(() => {
        const before = schedules.find(tenant, name);
        if (before === null) return true;
        if (before.policyGeneration > policyGeneration) return false;
        return schedules.remove(tenant, name);
      }),
  };
}

/** Wakes: how often a tenant's refresh was asked for, and how far it has answered. */
import type { Clock } from '#core/ports/platform.ts';
import type { WakeRecords } from '#core/ports/wake-records.ts';
import type { WakeRecord } from '#core/records/wake.ts';

import type { Database } from './database.ts';

export function wakeRecords(database: Database, clock: Clock): WakeRecords {
  const { wakes } = database.tables;
  const wakeOf = (tenant: string): WakeRecord =>
    wakes.get(tenant) ?? { tenant, wanted: 0, acknowledged: 0, wantedAt: 0 };
  return {
    get: (tenant) =>
      database.read(() => {
        const { wanted, acknowledged } = wakeOf(tenant);
        return { wanted, acknowledged };
      }),
    want: (tenant) =>
      database.write(() => {
        const { wanted, acknowledged, wantedAt } = wakeOf(tenant);
        const edge = wanted === acknowledged;
        // The time is that of the oldest unanswered wish: by it tenants wait in line.
        const at = edge ? clock() : wantedAt;
        wakes.put({ tenant, wanted: wanted + 1, acknowledged, wantedAt: at });
        return { wanted: wanted + 1, acknowledged, edge };
      }),
    acknowledge: (tenant, seen) =>
      database.write(() => {
        const wake = wakeOf(tenant);
        if (wake.wanted !== seen) return false;
        if (wake.acknowledged !== seen) wakes.put({ ...wake, acknowledged: seen });
        return true;
      }),
  };
}

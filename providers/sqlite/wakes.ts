/** Wakes: how often a tenant's refresh was asked for, and how far it has answered. */
import type { Clock } from '#core/ports/platform.ts';
import type { Wake, WakeRecords } from '#core/ports/wake-records.ts';

import type { Connection } from './connection.ts';

export function wakeRecords(connection: Connection, clock: Clock): WakeRecords {
  return {
    get: (tenant) => connection.read(() => readWake(connection, tenant)),
    want: (tenant) =>
      connection.write(() => {
        const { wanted, acknowledged } = readWake(connection, tenant);
        const edge = wanted === acknowledged;
        // The time is that of the oldest unanswered wish: by it tenants wait in line.
        connection.run(
          `INSERT INTO wakes (tenant, wanted, acknowledged, wanted_at) VALUES (?, 1, 0, ?)
           ON CONFLICT (tenant) DO UPDATE SET wanted = wanted + 1,
             wanted_at = iif(wanted = acknowledged, excluded.wanted_at, wanted_at)`,
          [tenant, clock()],
        );
        return { wanted: wanted + 1, acknowledged, edge };
      }),
    acknowledge: (tenant, seen) =>
      connection.write(() => {
        if (readWake(connection, tenant).wanted !== seen) return false;
        connection.run('UPDATE wakes SET acknowledged = ? WHERE tenant = ?', [seen, tenant]);
        return true;
      }),
  };
}

function readWake(connection: Connection, tenant: string): Wake {
  const sql = 'SELECT wanted, acknowledged FROM wakes WHERE tenant = ?';
  const row = connection.first(sql, [tenant]);
  return { wanted: Number(row?.['wanted'] ?? 0), acknowledged: Number(row?.['acknowledged'] ?? 0) };
}

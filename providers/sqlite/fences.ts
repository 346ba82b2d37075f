/** Which leader of a cluster is the latest: writes of earlier ones are refused. */
import type { Connection } from './connection.ts';

/** The latest leader that fenced a cluster; 0 where none did. */
export function fenceOf(connection: Connection, cluster: string): number {
  const sql = 'SELECT epoch FROM policy_fences WHERE cluster = ?';
  return Number(connection.first(sql, [cluster])?.['epoch'] ?? 0);
}

/** To be called within a write. False where a later leader was there before. */
export function fenceCluster(connection: Connection, cluster: string, epoch: number): boolean {
  const latest = fenceOf(connection, cluster);
  if (latest >= epoch) return latest === epoch;
  connection.run('INSERT OR REPLACE INTO policy_fences VALUES (?, ?)', [cluster, epoch]);
  for (const table of ['policies', 'model_providers']) {
    connection.run(
      `UPDATE ${table} SET epoch = ? WHERE record -> 'owner' ->> 'cluster' = ? AND epoch < ?`,
      [epoch, cluster, epoch],
    );
  }
  return true;
}

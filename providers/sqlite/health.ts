/** Whether the file is sound, and what to do where it is not. */
import type { StoreHealth } from '#core/ports/store.ts';
import { schemaFindings } from '#store/stored-form.ts';
import type { Connection } from './connection.ts';
import { SCHEMA_VERSION } from './migrate.ts';

/** Damage reported at most; one line is enough to act on, a few show its extent. */
const DAMAGE_LINES_MAX = 5;
/** Larger files are not read through, since that would hold up everything else for seconds. */
const CHECKED_BYTES_MAX = 64 * 1024 * 1024;

export async function storeHealth(connection: Connection): Promise<StoreHealth> {
  return connection.read(() => {
    const schemaVersion = numberOf(connection, 'SELECT max(version) AS n FROM schema_version');
    const schema = schemaFindings(schemaVersion, SCHEMA_VERSION);
    const findings = [...damage(connection), ...journal(connection), ...schema];
    const sqlite = String(connection.first('SELECT sqlite_version() AS v')?.['v']);
    return { ok: findings.length === 0, engine: `SQLite ${sqlite}`, schemaVersion, findings };
  });
}

function damage(connection: Connection): string[] {
  const pages = numberOf(connection, 'SELECT page_count AS n FROM pragma_page_count()');
  const pageBytes = numberOf(connection, 'SELECT page_size AS n FROM pragma_page_size()');
  if (pages * pageBytes > CHECKED_BYTES_MAX) return [];
  return connection
    .all(`PRAGMA quick_check(${DAMAGE_LINES_MAX})`)
    .map((row) => String(row['quick_check']))
    .filter((line) => line !== 'ok')
    .map((line) => `The file is damaged (${line}). Stop Varve and restore a backup.`);
}

function journal(connection: Connection): string[] {
  if (connection.isInMemory) return [];
  const mode = connection.first('PRAGMA journal_mode')?.['journal_mode'];
  if (mode === 'wal') return [];
  return [`The journal mode is ${String(mode)}, not wal. Restart Varve, which sets it again.`];
}

function numberOf(connection: Connection, sql: string): number {
  return Number(connection.first(sql)?.['n']);
}

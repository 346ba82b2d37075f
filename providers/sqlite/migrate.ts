/** Migrates a database file to the schema of this version; forward only, step by step. */
import { VarveError } from '#core/errors.ts';
import { requireKnownSchema } from '#store/record-and-schema-checks.ts';
import type { Connection } from './connection.ts';
import { INITIAL } from './migrations/0001-vectors-terms-and-touches.ts';

/** The step from version n to n + 1 is at index n; steps are never changed once released. */
export const MIGRATIONS: readonly string[] = [INITIAL];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** "VARV", at a fixed place of the header, distinguishes our files from other databases. */
const APPLICATION_ID = 0x56_41_52_56;

/**
 * Runs the steps that the file lacks in one exclusive transaction. If several processes open a new
 * file at once, one creates the tables and the others find them.
 * @param migrations those of this version by default
 * @throws VarveError PROVIDER_REJECTED for a newer schema or another program's database
 */
export async function migrate(
  connection: Connection,
  now: () => number,
  migrations = MIGRATIONS,
): Promise<void> {
  const newest = migrations.length;
  const found = await connection.read(() => versionOf(connection, newest));
  if (found === newest) return;
  await connection.exclusive(() => {
    // Another process may have been faster.
    const current = versionOf(connection, newest);
    if (current === 0) connection.script(`PRAGMA application_id = ${APPLICATION_ID}`);
    for (const [index, sql] of migrations.slice(current).entries()) {
      connection.script(sql);
      const version = current + index + 1;
      connection.run('INSERT INTO schema_version VALUES (?, ?)', [version, now()]);
    }
  });
}

/**
 * Checks that a file holds the tables of a store of this version or an earlier one.
 * @throws VarveError PROVIDER_REJECTED for a newer schema, another program's database, or none
 */
export function requireOwnTables(connection: Connection): void {
  if (versionOf(connection, SCHEMA_VERSION) > 0) return;
  const message = `The database ${connection.fileName} holds no store of Varve. Name another file.`;
  throw new VarveError('PROVIDER_REJECTED', message);
}

/** The schema version in the file; 0 for a file that has no tables. */
function versionOf(connection: Connection, newest: number): number {
  const application = Number(connection.first('PRAGMA application_id')?.['application_id']);
  if (application !== APPLICATION_ID) {
    requireEmpty(connection);
    return 0;
  }
  const found = Number(connection.first('SELECT max(version) AS v FROM schema_version')?.['v']);
  requireKnownSchema(`The database ${connection.fileName}`, found, newest);
  return found;
}

function requireEmpty(connection: Connection): void {
  const tables = Number(connection.first('SELECT count(*) AS n FROM sqlite_schema')?.['n']);
  if (tables === 0) return;
  throw new VarveError(
    'PROVIDER_REJECTED',
    `The database ${connection.fileName} belongs to another program. Name another file.`,
    { details: { tables } },
  );
}

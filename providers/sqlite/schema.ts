/** Brings a database file to the schema of this version; forward only, one step after another. */
import { VarveError } from '#core/errors.ts';

import type { Connection } from './connection.ts';
import { INITIAL } from './migrations/0001-initial.ts';
import { SEARCH_AND_HISTORY } from './migrations/0002-search-and-history.ts';
import { VARIANTS } from './migrations/0003-variants.ts';
import { LIGHTER_WRITES } from './migrations/0004-lighter-writes.ts';
import { OPERATORS } from './migrations/0005-operators.ts';
import { DOCUMENTS_AND_RETENTION } from './migrations/0006-documents-and-retention.ts';

/** The step from version n to n + 1 is at index n; steps are never changed once released. */
export const MIGRATIONS: readonly string[] = [
  INITIAL,
  SEARCH_AND_HISTORY,
  VARIANTS,
  LIGHTER_WRITES,
  OPERATORS,
  DOCUMENTS_AND_RETENTION,
];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** "VARV", at a fixed place of the file's header, tells our files from other SQLite databases. */
const APPLICATION_ID = 0x56_41_52_56;

/**
 * Runs the steps that the file lacks, all in one exclusive transaction, so that of several
 * processes that open a new file at once one makes the tables and the others find them.
 * @throws VarveError PROVIDER_REJECTED for a newer schema or another program's database
 */
export async function migrate(connection: Connection, now: () => number): Promise<void> {
  const found = await connection.read(() => versionOf(connection));
  if (found === SCHEMA_VERSION) return;
  await connection.exclusive(() => {
    // Another process may have been faster.
    const current = versionOf(connection);
    if (current === 0) connection.script(`PRAGMA application_id = ${APPLICATION_ID}`);
    for (const [index, sql] of MIGRATIONS.slice(current).entries()) {
      connection.script(sql);
      const version = current + index + 1;
      connection.run('INSERT INTO schema_version VALUES (?, ?)', [version, now()]);
    }
  });
}

/** The schema version in the file; 0 for a file that has no tables. */
function versionOf(connection: Connection): number {
  const application = Number(connection.first('PRAGMA application_id')?.['application_id']);
  if (application !== APPLICATION_ID) {
    requireEmpty(connection);
    return 0;
  }
  const found = Number(connection.first('SELECT max(version) AS v FROM schema_version')?.['v']);
  if (found <= SCHEMA_VERSION) return found;
  throw new VarveError(
    'PROVIDER_REJECTED',
    `The database ${connection.fileName} was written by a newer version of Varve ` +
      `(schema ${found}; this version knows ${SCHEMA_VERSION}). Start that newer version, ` +
      'or restore the backup made before the upgrade.',
    { details: { found, supported: SCHEMA_VERSION } },
  );
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

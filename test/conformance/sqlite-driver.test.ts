/** The driver suite over SQLite. */
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe } from 'vitest';

import { Connection } from '#providers/sqlite/connection.ts';
import { sqliteDriver } from '#providers/sqlite/driver.ts';
import { createTables } from '#providers/sqlite/record-tables.ts';

import { DRIVER_KINDS, driverSuite } from './driver-suite.ts';
import { temporaryFolder } from './sqlite-adapter.ts';

describe('the driver over SQLite', () => {
  driverSuite(async () => {
    const { folder, ...temporary } = await temporaryFolder();
    const database = new DatabaseSync(path.join(folder, 'varve.db'));
    const connection = new Connection(database, { fileName: 'varve.db', busyTimeoutMs: 5_000 });
    await createTables(connection, DRIVER_KINDS);
    return {
      driver: sqliteDriver(connection),
      async [Symbol.asyncDispose]() {
        connection.close();
        await temporary[Symbol.asyncDispose]();
      },
    };
  });
});

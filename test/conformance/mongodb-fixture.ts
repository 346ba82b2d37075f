/** The MongoDB of one test file: a server, and databases that are dropped afterwards. */
import { afterAll, beforeAll } from 'vitest';

import type { Store } from '#core/ports/store.ts';
import { openMongoStore, type MongoStoreOptions } from '#providers/mongodb/store.ts';
import { startTestMongodb, type TestMongodb } from '#test/cluster/test-mongodb.ts';

import { dropDatabase, newDatabase } from './mongodb-adapter.ts';
import { analyzer } from './search-samples.ts';
import { PLATFORM } from './sqlite-adapter.ts';

/** A first build of the server fetches its parts. */
const START_MS_MAX = 10 * 60 * 1_000;

export interface MongodbFixture {
  /** Of the server, once the tests run. */
  readonly uri: () => string;
  /** The name of one for a test of its own. */
  readonly ownDatabase: () => string;
  /** The name of the one that the tests share. */
  readonly shared: string;
  /** A store on the database that the tests share, or on the one that is named. */
  readonly open: (differing?: Partial<MongoStoreOptions>) => Promise<Store>;
}

/** The server starts before the tests of the calling suite, and ends after them. */
export function mongodbFixture(): MongodbFixture {
  let server: TestMongodb | null = null;
  const databases: string[] = [];
  const ownDatabase = (): string => {
    const database = newDatabase();
    databases.push(database);
    return database;
  };
  const shared = ownDatabase();
  const uri = (): string => {
    if (server === null) throw new Error('The server starts before the tests.');
    return server.uri;
  };
  beforeAll(async () => {
    server = await startTestMongodb();
  }, START_MS_MAX);
  afterAll(async () => {
    if (server === null) return;
    for (const database of databases) await dropDatabase(server.uri, database);
    await server[Symbol.asyncDispose]();
  });
  return {
    uri,
    ownDatabase,
    shared,
    open: (differing = {}) =>
      openMongoStore({ uri: uri(), database: shared, platform: PLATFORM, analyzer, ...differing }),
  };
}

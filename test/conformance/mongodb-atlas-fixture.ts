/**
 * A store over a peer with vector search, which builds and refreshes indexes when a test says so.
 */
import { MongoClient, type Collection, type Document } from 'mongodb';
import { afterEach, beforeEach } from 'vitest';

import type { Log } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';
import { openMongoStore, type MongoStoreOptions } from '#providers/mongodb/store.ts';
import { vectorIndexName } from '#providers/mongodb/vector-index/index-definition.ts';
import { CHECK_MS } from '#providers/mongodb/vector-index/vector-indexes.ts';
import { startAtlasPeer, type AtlasPeer } from '#test/cluster/atlas-peer/atlas-peer.ts';
import { startOwnMongodb } from '#test/cluster/test-mongodb.ts';

import { dropDatabase, newDatabase } from './mongodb-adapter.ts';
import { MINUTE_MS, NOW, userScope } from './samples.ts';
import { addAll, analyzer, byVector, embedded, GENERATION } from './search-samples.ts';
import { PLATFORM } from './sqlite-adapter.ts';
import { shared } from '#test/shared-fixture.ts';

/** A first build of the server fetches its parts. */
const START_MS_MAX = 10 * 60 * 1_000;

export const INDEX = vectorIndexName(GENERATION);
/** By then nothing that was written counts as recent, so that the index answers alone. */
export const LATER = NOW + 2 * MINUTE_MS;
export const EAST = [1, 0];

/** What one test has for itself. */
export interface Fixture {
  readonly peer: AtlasPeer;
  /** Of the server behind the peer. */
  readonly serverUri: string;
  readonly database: string;
  /** What the stores logged. */
  readonly lines: string[];
  /** A store whose searches always ask the index, and which knows of it from the start. */
  open(differing?: Partial<MongoStoreOptions>): Promise<Store>;
  /** Of the looks at the index; after this one the next search looks again. */
  letTimePass(milliseconds?: number): void;
  withMemories<T>(use: (memories: Collection) => Promise<T>): Promise<T>;
}

/** Each call gives the fixture of the test that calls. */
export function atlasFixture(): () => Fixture {
  const server = shared(startOwnMongodb, START_MS_MAX);
  let fixture: Fixture | null = null;
  beforeEach(async () => {
    const serverUri = server().uri;
    const peer = await startAtlasPeer(serverUri, { builds: 'WhenTold', refreshes: 'WhenTold' });
    fixture = fixtureOver(peer, serverUri);
  });
  afterEach(async () => {
    await fixture?.peer[Symbol.asyncDispose]();
    if (fixture !== null) await dropDatabase(fixture.serverUri, fixture.database);
  });
  return () => {
    if (fixture === null) throw new Error('The fixture is set up before each test.');
    return fixture;
  };
}

function fixtureOver(peer: AtlasPeer, serverUri: string): Fixture {
  const database = newDatabase();
  const lines: string[] = [];
  let clock = 0;
  return {
    peer,
    serverUri,
    database,
    lines,
    open: (differing = {}) =>
      openMongoStore({
        uri: peer.uri,
        database,
        platform: { ...PLATFORM, log: logTo(lines) },
        analyzer,
        bounds: { wholeMax: 0 },
        ...differing,
        vectorSearch: {
          clock: () => clock,
          generations: [{ generation: GENERATION, dimensions: 2 }],
          pause: () => peer.finishBuilds(),
          ...differing.vectorSearch,
        },
      }),
    letTimePass(milliseconds = CHECK_MS) {
      clock += milliseconds;
    },
    async withMemories(use) {
      await using client = new MongoClient(peer.uri);
      const local = { readConcern: { level: 'local' } } as const;
      return await use(client.db(database).collection('memories', local));
    },
  };
}

function logTo(lines: string[]): Log {
  const note: Log['info'] = (fields, message) => {
    lines.push(`${message} ${JSON.stringify(fields)}`);
  };
  return { debug: note, info: note, warn: note, error: note };
}

interface Asked {
  readonly now?: number;
  readonly limit?: number;
  readonly tags?: readonly string[];
}

/** The memories of a tenant that are the nearest to the east, and how they were found. */
export async function search(store: Store, tenant: string, asked: Asked = {}) {
  const { now = NOW, limit = 10, tags = [] } = asked;
  const query = byVector(EAST, { conditions: { now, tags }, limit });
  const { candidates, path } = await store.memories.search(userScope(tenant), query);
  return { path, ids: candidates.map(({ memory }) => memory.id).toSorted() };
}

/** Memories 1 to `count`, the first the nearest to the east. */
export async function addFan(store: Store, tenant: string, count: number): Promise<void> {
  const memories = Array.from({ length: count }, (_, at) =>
    embedded(tenant, at + 1, [count, at], { tags: at % 2 === 0 ? ['even'] : [] }),
  );
  await addAll(store, memories);
}

export interface Searched {
  readonly query: Document;
  readonly match: Document;
}

/** The queries of the index that the peer received. */
export function searchesOf(peer: AtlasPeer): readonly Searched[] {
  return peer.commands().flatMap(({ pipeline }) => {
    const stages = (pipeline ?? []) as readonly Document[];
    const query = stages[0]?.['$vectorSearch'] as Document | undefined;
    const match = stages[2]?.['$match'] as Document | undefined;
    return query === undefined ? [] : [{ query, match: match ?? {} }];
  });
}

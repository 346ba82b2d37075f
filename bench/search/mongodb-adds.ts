/**
 * Adds to MongoDB that wait for their answer, by one writer and by many on one scope, compared with
 * plain inserts of the same document into a collection with the same indexes on the same server.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { MongoClient, type Collection } from 'mongodb';

import { contentHash } from '#core/hash.ts';
import type { Memory } from '#core/records/memory.ts';
import type { AddRules } from '#core/ports/write-rules-and-outcomes.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { createLexicalEmbedder } from '#providers/lexical/embedder.ts';
import { clientOptions } from '#providers/mongodb/connection-settings.ts';
import { INDEXES } from '#providers/mongodb/collections-and-indexes.ts';
import { openMongoStore } from '#providers/mongodb/store.ts';
import { createPlatform } from '#providers/node/platform.ts';

import { WRITERS } from './durable-adds.ts';
import { madeUpMemories, SEED } from './made-up-memories.ts';

const SERVE = path.resolve(import.meta.dirname, '../../test/cluster/mongodb/serve.ts');
/** Adds of one writer in a round; each of the many writers makes as many. */
const ADDS = 16;
const MILLISECONDS = 1_000;
const HOUR_MS = 3_600_000;
const PLACE = { tenant: 'bench', layer: 'project', scopeId: 'one' } as const;

export interface MongodbRates {
  /** Name and version that the server reports. */
  readonly server: string;
  /** Adds per second, one value for each round. */
  readonly one: readonly number[];
  readonly many: readonly number[];
  readonly plainOne: readonly number[];
  readonly plainMany: readonly number[];
}

/** Returns the rates, or why they can't be measured here. */
export async function measureMongodbAdds(rounds: number): Promise<MongodbRates | string> {
  await using served = await startServer();
  const { uri } = served;
  if (uri === null) return 'it needs MONGODB_URI, or java and mvn on PATH';
  const database = `varve-bench-${String(process.pid)}`;
  const client = new MongoClient(uri, clientOptions(uri));
  try {
    return await measured({ client, uri, database }, rounds);
  } finally {
    await client.db(database).dropDatabase();
    await client.close();
  }
}

interface Place {
  readonly client: MongoClient;
  readonly uri: string;
  readonly database: string;
}

async function measured({ client, uri, database }: Place, rounds: number): Promise<MongodbRates> {
  const platform = createPlatform();
  await using store = await openMongoStore({
    uri,
    database,
    platform,
    analyzer: createTextAnalyzer(),
  });
  // A first, uncounted round warms everything up.
  const memories = await madeMemories((rounds + 1) * (1 + WRITERS) * ADDS);
  let next = 0;
  const add = async (): Promise<void> => {
    const memory = memories[next];
    next += 1;
    if (memory !== undefined) await store.memories.add(memory, rulesAt(platform.clock()));
  };
  const plain = await plainInserts(client, database, async () => {
    const first = memories.at(-1);
    if (first === undefined) throw new Error('There are memories to add.');
    await store.memories.add(first, rulesAt(platform.clock()));
    return first.id;
  });
  const { version } = await client.db(database).command({ buildInfo: 1 });
  const rates = { server: String(version), one: [], many: [], plainOne: [], plainMany: [] };
  const contenders: readonly (readonly [number[], () => Promise<void>, writers: number])[] = [
    [rates.one, add, 1],
    [rates.plainOne, plain, 1],
    [rates.many, add, WRITERS],
    [rates.plainMany, plain, WRITERS],
  ];
  for (let round = 0; round <= rounds; round += 1) {
    const order = round % 2 === 0 ? contenders : contenders.toReversed();
    for (const [found, write, writers] of order) {
      const rate = await aSecond(write, writers);
      if (round > 0) found.push(rate);
    }
  }
  return rates;
}

/** Inserts copies of a memory's document, each with its own id. */
async function plainInserts(
  client: MongoClient,
  database: string,
  addOne: () => Promise<string>,
): Promise<() => Promise<void>> {
  const id = await addOne();
  const memories: Collection = client.db(database).collection('memories');
  const document = await memories.findOne({ '_id.id': id });
  if (document === null) throw new Error('The memory that was added has a document.');
  const plain: Collection = client.db(database).collection('plain');
  await plain.createIndexes([...(INDEXES['memories'] ?? [])]);
  let next = 0;
  return async () => {
    next += 1;
    const _id = { tenant: PLACE.tenant, id: `${id}-${String(next)}` };
    await plain.insertOne({ ...document, _id } as object);
  };
}

async function aSecond(write: () => Promise<void>, writers: number): Promise<number> {
  const some = async (): Promise<void> => {
    for (let at = 0; at < ADDS; at += 1) await write();
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: writers }, some));
  return (writers * ADDS * MILLISECONDS) / (performance.now() - startedAt);
}

/** Includes vectors, so that only the storing is measured. */
async function madeMemories(count: number): Promise<readonly Memory[]> {
  const { digest, newId, clock } = createPlatform();
  const { memories } = madeUpMemories(count + 1, SEED + 2);
  const embedder = createLexicalEmbedder();
  const vectors = await embedder.embed(memories, { purpose: 'passage' });
  const now = clock();
  return memories.map((content, at): Memory => {
    return {
      ...PLACE,
      id: newId(),
      kind: 'memory',
      content,
      contentHash: contentHash(digest, content),
      key: null,
      tags: [],
      metadata: {},
      origin: { channel: 'api', principal: 'bench', sources: [] },
      trust: 'stated',
      validFrom: now,
      validTo: null,
      supersededBy: null,
      expiresAt: null,
      state: 'active',
      version: 1,
      createdAt: now,
      updatedAt: now,
      tokenCount: 40,
      embeddingGeneration: embedder.generation,
      vector: [...(vectors[at] ?? [])],
    };
  });
}

function rulesAt(now: number): AddRules {
  const layer = {
    updateIntervalMs: HOUR_MS,
    updateOnChanges: 3,
    maxAgeMs: HOUR_MS,
    skipIfUnchanged: true,
  };
  // As in the operation, if it makes the id itself.
  return { now, policy: { layer, urgentDebounceMs: MILLISECONDS }, isNewId: true };
}

/** Starts the server that the tests use, in a separate process. */
async function startServer(): Promise<AsyncDisposable & { readonly uri: string | null }> {
  const server = spawn(process.execPath, [SERVE], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(server, 'exit');
  const stop = async (): Promise<void> => {
    server.stdin.end();
    await ended;
  };
  for await (const uri of createInterface({ input: server.stdout })) {
    return { uri, [Symbol.asyncDispose]: stop };
  }
  return { uri: null, [Symbol.asyncDispose]: stop };
}

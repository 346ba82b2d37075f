/** MongoDB as the conformance suites see it: a database of its own, and death at a command. */
import { MongoClient, type Document } from 'mongodb';

import { openMongoStore, type MongoStoreOptions } from '#providers/mongodb/store.ts';

import type { Opened } from './adapter.ts';
import { openMortal } from './mortal-store.ts';
import { mortality } from './mortality.ts';
import { analyzer } from './search-samples.ts';
import { PLATFORM } from './sqlite-adapter.ts';

let databasesMade = 0;

/** Several runs may share one server. */
export function newDatabase(): string {
  databasesMade += 1;
  return `varve-test-${process.pid}-${databasesMade}`;
}

export async function openMongodb(
  uri: string,
  differing: Partial<MongoStoreOptions> = {},
): Promise<Opened> {
  const database = newDatabase();
  const mortal = mortality();
  const faults = { beforeCommand: mortal.takeStep, afterCommand: mortal.takeStep };
  const options = { uri, database, platform: PLATFORM, analyzer, faults, ...differing };
  const open = () => openMongoStore(options);
  const observer = new MongoClient(uri);
  return openMortal({
    open,
    mortal,
    dump: () => dumpOf(observer, database),
    raw: () => rawOf(observer, database),
    traits: { transactions: false, versionsPerWrite: 2, stepsMin: 2 },
    async remove() {
      await observer.db(database).dropDatabase();
      await observer.close();
    },
  });
}

/** Leaves nothing behind on a server that stays. */
export async function dropDatabase(uri: string, database: string): Promise<void> {
  const client = new MongoClient(uri);
  await client.db(database).dropDatabase();
  await client.close();
}

/** Every document as it is. */
async function rawOf(observer: MongoClient, database: string): Promise<string> {
  const all: Document[] = [];
  for (const { name } of await observer.db(database).listCollections().toArray()) {
    all.push(...(await observer.db(database).collection(name).find().toArray()));
  }
  return JSON.stringify(all);
}

/**
 * Every document, without what a write that was taken back leaves: a higher version or revision of
 * its scope, another token, the mark of what was shut out, a later number of a chunk, a generation
 * that no scope names.
 */
async function dumpOf(observer: MongoClient, database: string): Promise<Record<string, unknown>> {
  const dump: Record<string, Document[]> = {};
  for (const { name } of await observer.db(database).listCollections().toArray()) {
    const documents = await observer.db(database).collection(name).find().toArray();
    dump[name] = documents.map(withoutTraces);
  }
  const current = new Set(
    (dump['scopes'] ?? []).flatMap(({ summaries }) => summaries as { id: string }[]).map(idOf),
  );
  const versions = new Map(
    (dump['memories'] ?? []).map((each) => [memoryOf(each), versionOf(each)]),
  );
  const kept: Readonly<Record<string, (document: Document) => boolean>> = {
    // A change is told from the memory itself until the next one overwrites it.
    memoryChanges: ({ _id }) => {
      const { tenant, memoryId, version } = _id as unknown as ChangeKey;
      return version < (versions.get(JSON.stringify([tenant, memoryId])) ?? Infinity);
    },
    memories: ({ record }) => record !== null,
    turns: ({ turns }) => (turns as unknown[]).length > 0,
    summaries: ({ _id }) => current.has((_id as unknown as { id: string }).id),
  };
  return Object.fromEntries(
    Object.entries(dump)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, documents]) => [name, documents.filter(kept[name] ?? (() => true)).map(text)])
      .map(([name, documents]) => [name, (documents as string[]).toSorted()]),
  );
}

interface ChangeKey {
  readonly tenant: string;
  readonly memoryId: string;
  readonly version: number;
}

function memoryOf({ _id }: Document): string {
  const { tenant, id } = _id as unknown as { tenant: string; id: string };
  return JSON.stringify([tenant, id]);
}

function versionOf({ record, version }: Document): number {
  return record === null ? Infinity : Number(version);
}

function withoutTraces(document: Document): Document {
  const { record, ...rest } = document;
  for (const trace of ['token', 'born', 'revision', 'touches', 'touched']) delete rest[trace];
  if (rest['turns'] !== undefined) return { ...rest, _id: { ...rest['_id'], chunk: 0 } };
  // Memories and accounts have versions too, and those are of the record; a scope's may be higher,
  // and a subject's, which was announced once more.
  const isAnnounced = rest['writes'] !== undefined || 'hasNew' in ((record as object | null) ?? {});
  if (!isAnnounced) return { ...rest, record };
  return { ...rest, record: { ...(record as object), version: 0 } };
}

function idOf({ id }: { id: string }): string {
  return id;
}

function text(document: Document): string {
  return JSON.stringify(document);
}

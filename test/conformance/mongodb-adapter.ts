/**
 * MongoDB for the conformance suites: a database of its own, and a process that dies at a command.
 */
import { BSON, MongoClient, type Document } from 'mongodb';

import { Connection } from '#providers/mongodb/connection.ts';
import { MongoDriver } from '#providers/mongodb/driver.ts';
import { memoryForm } from '#providers/mongodb/memory-documents.ts';
import type { DocumentForm } from '#providers/mongodb/record-documents.ts';
import { openMongoStore, type MongoStoreOptions } from '#providers/mongodb/store.ts';
import { KINDS, MEMORIES } from '#store/record-kinds-and-indexes.ts';
import type { AnyKind, RecordKind } from '#store/storage-driver.ts';

import type { Opened } from './adapter.ts';
import { openCrashable } from './crashable-store.ts';
import { createCrashPoint } from './crash-point.ts';
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
  const crashPoint = createCrashPoint();
  const faults = { beforeCommand: crashPoint.takeStep, afterCommand: crashPoint.takeStep };
  const options = { uri, database, platform: PLATFORM, analyzer, faults, ...differing };
  const open = () => openMongoStore(options);
  const observer = new MongoClient(uri);
  return openCrashable({
    open,
    crashPoint,
    dump: () => dumpOf(observer, { uri, database }),
    raw: () => rawOf(observer, database),
    stepsMin: 2,
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

/** Every document as it is, open entries in their own bytes included. */
async function rawOf(observer: MongoClient, database: string): Promise<string> {
  const all = [...(await documentsOf(observer, database)).values()].flat();
  const bytes = all.map((document) => Buffer.from(BSON.serialize(document)).toString());
  return [JSON.stringify(all), ...bytes].join('\n');
}

/** Every record as readers find it: what a commit left unfinished is finished first. */
async function dumpOf(
  observer: MongoClient,
  { uri, database }: { readonly uri: string; readonly database: string },
): Promise<Record<string, unknown>> {
  let all = await documentsOf(observer, database);
  if ([...all.values()].flat().some(({ redo }) => redo !== null && redo !== undefined)) {
    await finishCommits(observer, { uri, database });
    all = await documentsOf(observer, database);
  }
  const dump: Record<string, string[]> = {};
  for (const [name, documents] of all) {
    // Anchors without a record of their own and marks of deleted records are no records.
    const records = documents.filter(({ record }) => record !== null);
    dump[name] = records.map((document) => JSON.stringify(withoutTraces(document))).toSorted();
  }
  return dump;
}

/** By collection. */
async function documentsOf(
  observer: MongoClient,
  database: string,
): Promise<ReadonlyMap<string, readonly Document[]>> {
  const names = (await observer.db(database).listCollections().toArray()).map(({ name }) => name);
  const all = new Map<string, readonly Document[]>();
  for (const name of names.toSorted()) {
    all.set(name, await observer.db(database).collection(name).find().toArray());
  }
  return all;
}

/** Anchors whose latest commit may not be applied yet. */
const OPEN = { redo: { $ne: null, $exists: true } };

/** How many anchors of a tenant have a commit that may not be applied yet. */
export async function openAnchors(uri: string, database: string, tenant: string): Promise<number> {
  await using observer = new MongoClient(uri);
  const counts = KINDS.map(({ name }) =>
    observer
      .db(database)
      .collection(name)
      .countDocuments({ '_id.tenant': tenant, ...OPEN }),
  );
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

async function finishCommits(
  observer: MongoClient,
  at: { readonly uri: string; readonly database: string },
): Promise<void> {
  const connection = await Connection.open(at);
  const form = memoryForm(analyzer, () => 'Bytes') as unknown as DocumentForm<never>;
  const forms = new Map([[MEMORIES.name, form]]);
  const driver = new MongoDriver({ connection, clock: PLATFORM.clock, forms });
  for (const kind of KINDS as readonly AnyKind[]) {
    const anchors = await observer.db(at.database).collection(kind.name).find(OPEN).toArray();
    for (const { _id } of anchors) {
      const id = _id as unknown as Readonly<Record<string, string>>;
      const key = kind.key.map((field: string) => id[field] ?? '');
      await driver.anchor(kind as unknown as RecordKind<object>, key);
    }
  }
  await connection.close();
}

/** What tells commits apart is no part of a record. */
function withoutTraces(document: Document): Document {
  const { revision: _, commits: __, redo: ___, born: ____, ...rest } = document;
  return rest;
}

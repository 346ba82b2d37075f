import path from 'node:path';

import { BSON, MongoClient, type Document } from 'mongodb';

import { describeUnless } from '#test/cluster/needs.ts';
import { missingForMongodb } from '#test/cluster/test-mongodb.ts';

import { erasureProof } from './erasure-proof.ts';
import { formsOf, openHarness } from './erasure-harness.ts';
import { restoreSuite } from './restore-suite.ts';
import { mongodbFixture } from './mongodb-fixture.ts';
import { temporaryFolder } from './sqlite-adapter.ts';

const { uri, ownDatabase } = mongodbFixture();

describeUnless(await missingForMongodb())('an erasure in MongoDB', () => {
  erasureProof(async () => {
    const temporary = await temporaryFolder();
    const database = ownDatabase();
    const client = new MongoClient(uri());
    return {
      open: () => openHarness(temporary.folder, { mongodb: { uri: uri(), database } }),
      traces: (mark?: string) => tracesIn(client, database, mark),
      remove: async () => {
        await client.close();
        await temporary[Symbol.asyncDispose]();
      },
    };
  });
});

describeUnless(await missingForMongodb())('a restored MongoDB database', () => {
  restoreSuite(async () => {
    const temporary = await temporaryFolder();
    const database = ownDatabase();
    const client = new MongoClient(uri());
    const ledger = path.join(temporary.folder, 'ledger');
    const mongodb = { uri: uri(), database };
    const kept = new Map<string, Document[]>();
    return {
      ledger,
      open: (settings) =>
        openHarness(temporary.folder, { mongodb, erasureLedger: ledger, ...settings }),
      traces: (mark?: string) => tracesIn(client, database, mark),
      async backUp() {
        for (const { name } of await client.db(database).listCollections().toArray()) {
          kept.set(name, await client.db(database).collection(name).find().toArray());
        }
      },
      async restore() {
        for (const { name } of await client.db(database).listCollections().toArray()) {
          const collection = client.db(database).collection(name);
          await collection.deleteMany({});
          const documents = kept.get(name) ?? [];
          if (documents.length > 0) await collection.insertMany(documents);
        }
      },
      remove: async () => {
        await client.close();
        await temporary[Symbol.asyncDispose]();
      },
    };
  });
});

/** Collections with a document that has the canary, marks of deleted records included. */
async function tracesIn(client: MongoClient, database: string, mark?: string): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of await client.db(database).listCollections().toArray()) {
    for await (const document of client.db(database).collection(name).find()) {
      // An entry that is open lies in bytes of its own.
      const text = Buffer.concat([Buffer.from(JSON.stringify(document)), BSON.serialize(document)]);
      const forms = formsOf(mark).filter(([, trace]) => text.includes(trace));
      found.push(...forms.map(([form]) => `${name}: ${form}, ${String(text).slice(0, 300)}`));
    }
  }
  return found;
}

/** The driver suite over MongoDB's protocol. */
import { describe, expect, test } from 'vitest';

import { Connection } from '#providers/mongodb/connection.ts';
import { MongoDriver } from '#providers/mongodb/driver.ts';
import { type Anchor, recordKind } from '#store/storage-driver.ts';
import { startTestMongodb } from '#test/cluster/test-mongodb.ts';

import { driverSuite, type OpenedDriver } from './driver-suite.ts';
import { dropDatabase, newDatabase } from './mongodb-adapter.ts';
import { shared } from '#test/shared-fixture.ts';

interface Box {
  readonly tenant: string;
  readonly count: number;
}

const BOXES = recordKind<Box>({ name: 'testBoxes', key: ['tenant'] });
const NOTHING: Anchor<Box> = { record: null, revision: 0, commits: [] };
/** More than an anchor names, by one writer. */
const COMMITS = 100;

async function openDriver(): Promise<OpenedDriver> {
  const server = await startTestMongodb();
  const database = newDatabase();
  const connection = await Connection.open({ uri: server.uri, database });
  const driver = new MongoDriver({ connection, clock: Date.now });
  return {
    driver,
    async [Symbol.asyncDispose]() {
      await driver.idle();
      await connection.close();
      await dropDatabase(server.uri, database);
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('the driver over MongoDB', () => {
  driverSuite(openDriver);
});

describe('an anchor in MongoDB', () => {
  const opened = shared(openDriver);

  /** A commit by a writer; null where the anchor is another one by now. */
  const put = (anchor: Anchor<Box>, tenant: string, [writer, n]: readonly [string, number]) => {
    const named = { kind: BOXES, key: [tenant], writer, id: `${writer}/${String(n)}` };
    const record = { tenant, count: n };
    const commit = { ...named, anchor, record, writes: [], inserts: [] };
    return opened().driver.commit(commit);
  };

  test('keeps the last commit of a writer after many commits of another', async () => {
    const tenant = 'told';
    let anchor = (await put(NOTHING, tenant, ['slow', 0])) ?? NOTHING;
    for (let n = 0; n < COMMITS; n += 1) {
      anchor = (await put(anchor, tenant, ['busy', n])) ?? NOTHING;
    }
    const found = await opened().driver.anchor(BOXES, [tenant]);
    expect(found).toMatchObject({
      revision: COMMITS + 1,
      commits: ['slow/0', `busy/${String(COMMITS - 1)}`],
    });
  });

  test('that was erased and created again is not mistaken for the old one', async () => {
    const tenant = 'erased';
    const before = await put(NOTHING, tenant, ['writer', 1]);
    await opened().driver.erase(BOXES, [['tenant', '=', tenant]], 9);
    const anew = await put(NOTHING, tenant, ['writer', 2]);
    expect([before?.revision, anew?.revision]).toEqual([1, 1]);
    expect(await put(before ?? NOTHING, tenant, ['writer', 3])).toBeNull();
    expect(await put(anew ?? NOTHING, tenant, ['writer', 4])).toMatchObject({ revision: 2 });
  });
});

/** Compaction where a turn and its scope are two documents: what is seen in between. */
import { MongoClient } from 'mongodb';
import { expect, it } from 'vitest';

import type { Store } from '#core/ports/store.ts';
import { describeUnless } from '#test/cluster/needs.ts';
import { missingForMongodb } from '#test/cluster/test-mongodb.ts';

import { newTenant } from './adapter.ts';
import { dyingAfter } from './mongodb-faults.ts';
import { mongodbStand } from './mongodb-stand.ts';
import { claim, commitOf, refresh } from './refresh.ts';
import { MINUTE_MS, NOW, rulesAt, sessionScope, turnOf } from './samples.ts';

const LATER = NOW + MINUTE_MS;
/** More than one batch of them, of which the first ones are damaged. */
const MANY_CHUNKS = 40;
const DAMAGED_CHUNKS = 20;

const { open, ownDatabase, uri } = mongodbStand();

async function spoken(store: Store, tenant: string): Promise<void> {
  await store.turns.append([turnOf(tenant, 1), turnOf(tenant, 2)], rulesAt(NOW));
}

/** A process that dies once the command is done. */
async function dieCompacting(tenant: string, command: string): Promise<void> {
  await using dying = await open({ faults: dyingAfter(command) });
  const scope = await dying.scopes.get(sessionScope(tenant));
  const turns = [{ id: 'turn-1', sequence: 1, quotes: ['What was said'] }];
  const compacted = dying.turns.compact({ scope, turns }, rulesAt(NOW));
  await expect(compacted).rejects.toThrow('The process died here.');
}

describeUnless(await missingForMongodb())('MongoDB', () => {
  it.each([
    ['was announced', 'scopes.update', false],
    ['was written', 'turns.update', true],
  ])(
    'ENG-07: after a compaction that only %s the summary is as fresh as it was',
    async (_, command, isGone) => {
      const tenant = newTenant();
      const scope = sessionScope(tenant);
      await using store = await open();
      await spoken(store, tenant);
      await refresh(store, scope, NOW);
      const before = await store.scopes.get(scope);
      await dieCompacting(tenant, command);
      expect(await store.scopes.get(scope)).toEqual(before);
      await store.scopes.due(tenant, { until: LATER, now: LATER, limit: 10 });
      const [first] = await store.turns.latest({ tenant, sessionId: 'call' }, 2);
      expect(first?.content === '').toBe(isGone);
      const { sources } = await claim(store, scope, LATER);
      const bytes = sources.reduce((sum, source) => sum + source.bytes, 0);
      expect((await store.scopes.get(scope)).sourceBytes).toBe(bytes);
      expect(await store.summaries.get(scope, '')).not.toBeNull();
    },
  );

  it('ENG-07: no summary is committed while words of its sources are going', async () => {
    const tenant = newTenant();
    const scope = sessionScope(tenant);
    await using store = await open();
    await spoken(store, tenant);
    const claimed = await claim(store, scope, NOW);
    await dieCompacting(tenant, 'scopes.update');
    const commit = commitOf(claimed.record, claimed, NOW);
    expect(await store.summaries.commit(commit)).toBe(false);
    await store.scopes.due(tenant, { until: LATER, now: LATER, limit: 10 });
    await refresh(store, scope, LATER);
    expect(await store.summaries.get(scope, '')).not.toBeNull();
  });

  it('ENG-07: turns that an earlier version wrote are found by their age', async () => {
    const database = ownDatabase();
    const tenant = newTenant();
    {
      await using store = await open({ database });
      await spoken(store, tenant);
      const scope = await store.scopes.get(sessionScope(tenant, 'gone'));
      await store.turns.append([turnOf(tenant, 9, { sessionId: 'gone' })], rulesAt(NOW));
      expect(scope.version).toBe(0);
    }
    const client = new MongoClient(uri());
    const older = client.db(database);
    await older.collection('turns').updateMany({}, { $unset: { textAt: '', told: '' } });
    await older.collection<{ _id: number }>('schema_version').deleteMany({});
    await older.collection<{ _id: number }>('schema_version').insertOne({ _id: 2 });
    await client.close();
    await using store = await open({ database });
    const found = await store.turns.oldSessions(tenant, { until: LATER, place: null, limit: 9 });
    expect(found).toEqual([{ sessionId: 'call', oldestAt: NOW + MINUTE_MS }]);
    const tenants = await store.turns.tenantsWithText({ after: null, limit: 9 });
    expect(tenants).toEqual([{ tenant, oldestAt: NOW + MINUTE_MS }]);
  });

  it('ENG-07: damaged turns keep nobody from opening, and health tells of them', async () => {
    const database = ownDatabase();
    const tenant = newTenant();
    await using client = new MongoClient(uri());
    const turns = client.db(database).collection('turns');
    {
      await using store = await open({ database });
      for (let n = 0; n < MANY_CHUNKS; n += 1) {
        const sessionId = `call-${String(n).padStart(2, '0')}`;
        await store.turns.append([turnOf(tenant, 1, { sessionId })], rulesAt(NOW));
      }
    }
    await turns.updateMany({}, { $unset: { textAt: '', told: '' } });
    const damaged = { '_id.sessionId': { $lt: `call-${String(DAMAGED_CHUNKS)}` } };
    await turns.updateMany(damaged, { $set: { 'turns.0.toolCalls': '{' } });
    await using store = await open({ database });
    const query = { until: LATER, place: null, limit: 2 * MANY_CHUNKS };
    const found = await store.turns.oldSessions(tenant, query);
    expect(found).toHaveLength(MANY_CHUNKS - DAMAGED_CHUNKS);
    expect((await store.health()).findings).toEqual([expect.stringMatching(/damaged/u)]);
    await turns.deleteMany(damaged);
    expect((await store.health()).findings).toEqual([]);
  });

  it('ENG-07: what an earlier version goes on writing is found by the next look', async () => {
    const database = ownDatabase();
    const tenant = newTenant();
    await using client = new MongoClient(uri());
    await using store = await open({ database });
    await spoken(store, tenant);
    const unset = { $unset: { textAt: '', told: '' } };
    await client.db(database).collection('turns').updateMany({}, unset);
    expect((await store.health()).findings).toEqual([]);
    const tenants = await store.turns.tenantsWithText({ after: null, limit: 9 });
    expect(tenants).toEqual([{ tenant, oldestAt: NOW + MINUTE_MS }]);
  });
});

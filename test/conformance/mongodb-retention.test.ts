/** A compaction in MongoDB that crashes between its commit and the removal of the turns' text. */
import { expect, it } from 'vitest';

import type { Store } from '#core/ports/store.ts';
import { describeUnless } from '#test/cluster/needs.ts';
import { missingForMongodb } from '#test/cluster/test-mongodb.ts';

import { newTenant } from './adapter.ts';
import { dyingAfter } from './mongodb-faults.ts';
import { mongodbFixture } from './mongodb-fixture.ts';
import { claim, commitOf, refresh } from './refresh.ts';
import { MINUTE_MS, NOW, rulesAt, sessionScope, turnOf } from './samples.ts';

const LATER = NOW + MINUTE_MS;

const { open } = mongodbFixture();

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
    ['was committed', 'scopes.commit'],
    ['was applied', 'turns.apply'],
  ])(
    'a compaction that crashed after it %s is completed by a reader and keeps the summary fresh',
    async (_, command) => {
      const tenant = newTenant();
      const scope = sessionScope(tenant);
      await using store = await open();
      await spoken(store, tenant);
      await refresh(store, scope, NOW);
      const before = await store.scopes.get(scope);
      await dieCompacting(tenant, command);
      const { sourceBytes, version, ...same } = await store.scopes.get(scope);
      expect(before).toMatchObject(same);
      expect([version, sourceBytes < before.sourceBytes]).toEqual([before.version + 1, true]);
      const [first] = await store.turns.latest({ tenant, sessionId: 'call' }, 2);
      expect(first?.content).toBe('');
      const { sources } = await claim(store, scope, LATER);
      expect(sources.reduce((sum, source) => sum + source.bytes, 0)).toBe(sourceBytes);
      expect(await store.summaries.get(scope, '')).not.toBeNull();
    },
  );

  it('a summary of turns that were compacted meanwhile is not committed', async () => {
    const tenant = newTenant();
    const scope = sessionScope(tenant);
    await using store = await open();
    await spoken(store, tenant);
    const claimed = await claim(store, scope, NOW);
    await dieCompacting(tenant, 'scopes.commit');
    const commit = commitOf(claimed.record, claimed, NOW);
    expect(await store.summaries.commit(commit)).toBe(false);
    await refresh(store, scope, LATER);
    expect(await store.summaries.get(scope, '')).not.toBeNull();
  });
});

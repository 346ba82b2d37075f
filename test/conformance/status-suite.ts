/** A tenant's status over a store: its counts match what readers are told. */
import { describe, expect, it } from 'vitest';

import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import { readTenantStatus } from '#core/refresh/tenant-status.ts';

import { sharedStore, type Open } from './adapter.ts';
import { refresh } from './refresh.ts';
import {
  idOf,
  MINUTE_MS,
  memoryOf,
  NOW,
  rulesAt,
  sessionScope,
  turnOf,
  userScope,
} from './samples.ts';

export function statusSuite(open: Open): void {
  describe('status', () => {
    const fixture = sharedStore(open);
    const rules = (tenant: string, now = NOW) => {
      return { policy: defaultPolicy(tenant), now, recipeOf: () => null };
    };

    it('a tenant without data has no fresh and no stale summaries', async () => {
      const { store, tenant } = fixture();
      const status = await readTenantStatus(store, tenant, rules(tenant));
      expect(status).toMatchObject({ scopes: 0, fresh: 0, stale: 0, isComplete: true });
    });

    it('the counts follow writes, refreshes, and deletions', async () => {
      const { store, tenant } = fixture();
      const told = async () => {
        const { scopes, fresh, stale } = await readTenantStatus(store, tenant, rules(tenant));
        return { scopes, fresh, stale };
      };
      await store.memories.add(memoryOf(tenant, 1), rulesAt(NOW));
      await store.turns.append([turnOf(tenant, 1)], rulesAt(NOW));
      expect(await told()).toEqual({ scopes: 2, fresh: 0, stale: 2 });
      await refresh(store, userScope(tenant), NOW);
      expect(await told()).toEqual({ scopes: 2, fresh: 1, stale: 1 });
      await refresh(store, sessionScope(tenant), NOW);
      expect(await told()).toEqual({ scopes: 2, fresh: 2, stale: 0 });
      await store.memories.add(memoryOf(tenant, 2), rulesAt(NOW));
      expect(await told()).toEqual({ scopes: 2, fresh: 1, stale: 1 });
      await store.memories.delete({ tenant, id: idOf(2) }, rulesAt(NOW));
      // What was written is gone again: readers are told that the summary is of its sources.
      expect(await told()).toEqual({ scopes: 2, fresh: 2, stale: 0 });
      await store.memories.delete({ tenant, id: idOf(1) }, rulesAt(NOW));
      expect(await told()).toEqual({ scopes: 2, fresh: 1, stale: 1 });
      await refresh(store, userScope(tenant), NOW);
      expect(await told()).toEqual({ scopes: 1, fresh: 1, stale: 0 });
    });

    it('the counts by layer include the last refresh and the next due time', async () => {
      const { store, tenant } = fixture();
      await store.memories.add(memoryOf(tenant, 1), rulesAt(NOW));
      await refresh(store, userScope(tenant), NOW + 5);
      await store.turns.append([turnOf(tenant, 1)], rulesAt(NOW + 7));
      const { layers, ...whole } = await readTenantStatus(store, tenant, rules(tenant, NOW + 9));
      expect(layers.user).toMatchObject({ scopes: 1, fresh: 1, lastRefreshAt: NOW + 5 });
      const { dueAt } = await store.scopes.get(sessionScope(tenant));
      expect(layers.session).toMatchObject({ stale: 1, lastRefreshAt: null, nextDueAt: dueAt });
      expect(dueAt).toBeLessThanOrEqual(NOW + 7 + 30 * MINUTE_MS);
      expect(whole).toMatchObject({ lastRefreshAt: NOW + 5, nextDueAt: dueAt, failure: null });
    });
  });
}

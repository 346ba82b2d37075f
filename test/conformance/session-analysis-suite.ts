/** The suite of saved analyses of sessions: none outlives what it was made of. */
import { describe, expect, it } from 'vitest';

import type { SavedSessionAnalysis } from '#core/records/session-analysis.ts';
import type { Store } from '#core/ports/store.ts';

import { sharedStore, type Open } from './adapter.ts';
import { NOW, rulesAt, turnOf } from './samples.ts';

const SESSION = 'call';

function analysisOf(tenant: string, content = 'AAAA'): SavedSessionAnalysis {
  return { tenant, layer: 'session', scopeId: SESSION, digest: 'of the texts', content };
}

/** Two turns and their analysis. */
async function analyzed(store: Store, tenant: string) {
  const turns = [turnOf(tenant, 1), turnOf(tenant, 2)];
  const { scope } = await store.turns.append(turns, rulesAt(NOW));
  expect(await store.turns.saveAnalysis(analysisOf(tenant), scope, NOW)).toBe(true);
  return scope;
}

/** Erases the session until nothing of it is found. */
async function eraseSession(store: Store, tenant: string): Promise<void> {
  const target = { kind: 'Session', id: SESSION } as const;
  const taking = { rules: () => rulesAt(NOW), foundFirst: () => Promise.resolve(true) };
  for (let found = 1; found > 0;) {
    const pass = await store.erasures.remove(tenant, target, taking);
    found = Object.keys(pass.found).length;
  }
}

export function sessionAnalysisSuite(open: Open): void {
  describe('the analysis of a session', () => {
    const fixture = sharedStore(open);

    it('is returned as it was saved, for its tenant alone, and replaced by the next one', async () => {
      const { store, tenant } = fixture();
      const session = { tenant, sessionId: SESSION };
      expect(await store.turns.analysis(session)).toBeNull();
      const scope = await analyzed(store, tenant);
      expect(await store.turns.analysis(session)).toEqual(analysisOf(tenant));
      expect(await store.turns.analysis({ ...session, tenant: `${tenant}-other` })).toBeNull();

      const next = analysisOf(tenant, 'BBBB');
      expect(await store.turns.saveAnalysis(next, scope, NOW)).toBe(true);
      expect(await store.turns.analysis(session)).toEqual(next);
    });

    it('is not saved if a turn was deleted since its turns were read', async () => {
      const { store, tenant } = fixture();
      const session = { tenant, sessionId: SESSION };
      const { scope } = await store.turns.append([turnOf(tenant, 1)], rulesAt(NOW));
      await store.turns.delete(session, ['turn-1'], rulesAt(NOW));

      expect(await store.turns.saveAnalysis(analysisOf(tenant), scope, NOW)).toBe(false);
      expect(await store.turns.analysis(session)).toBeNull();
    });

    it('is not saved for a session that was erased and begun again since', async () => {
      const { store, tenant } = fixture();
      const session = { tenant, sessionId: SESSION };
      const { scope } = await store.turns.append([turnOf(tenant, 1)], rulesAt(NOW));
      await eraseSession(store, tenant);
      const again = await store.turns.append([turnOf(tenant, 2)], rulesAt(NOW));
      expect(again.scope.version).toBe(scope.version);

      expect(await store.turns.saveAnalysis(analysisOf(tenant), scope, NOW)).toBe(false);
      expect(await store.turns.analysis(session)).toBeNull();
    });

    it('goes with its session', async () => {
      const { store, tenant } = fixture();
      await analyzed(store, tenant);
      await eraseSession(store, tenant);
      expect(await store.turns.analysis({ tenant, sessionId: SESSION })).toBeNull();
    });

    it('goes with any of its turns', async () => {
      const { store, tenant } = fixture();
      const session = { tenant, sessionId: SESSION };
      await analyzed(store, tenant);
      await store.turns.delete(session, ['turn-2'], rulesAt(NOW));
      expect(await store.turns.analysis(session)).toBeNull();
    });

    it('goes once a turn loses its text', async () => {
      const { store, tenant } = fixture();
      const scope = await analyzed(store, tenant);
      const turns = [{ id: 'turn-1', sequence: 1, quotes: [] }];
      expect((await store.turns.compact({ scope, turns }, rulesAt(NOW)))?.turns).toHaveLength(1);
      expect(await store.turns.analysis({ tenant, sessionId: SESSION })).toBeNull();
    });

    it('stays if a turn that is deleted was deleted before', async () => {
      const { store, tenant } = fixture();
      const session = { tenant, sessionId: SESSION };
      await store.turns.append([turnOf(tenant, 1), turnOf(tenant, 2)], rulesAt(NOW));
      const { scope } = await store.turns.delete(session, ['turn-1'], rulesAt(NOW));
      await store.turns.saveAnalysis(analysisOf(tenant), scope, NOW);
      await store.turns.delete(session, ['turn-1', 'unknown'], rulesAt(NOW));
      expect(await store.turns.analysis(session)).toEqual(analysisOf(tenant));
    });
  });
}

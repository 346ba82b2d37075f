/** The conformance suite of the store port: every adapter passes it, or is not a store. */
import { describe, expect, it } from 'vitest';

import { accountSuite } from './account-suite.ts';
import { answerSuite } from './answer-suite.ts';
import { crashSuite } from './crash-suite.ts';
import type { Open } from './adapter.ts';
import { isolationSuite } from './isolation-suite.ts';
import { memorySuite } from './memory-suite.ts';
import { policySuite } from './policy-suite.ts';
import { memoryOf, NOW, rulesAt, userScope } from './samples.ts';
import { scopeSuite } from './scope-suite.ts';
import { sourceHashSuite } from './source-hash-suite.ts';
import { summarySuite } from './summary-suite.ts';
import { turnSuite } from './turn-suite.ts';

/** Runs every suite against stores that `open` opens on nothing. */
export function storeConformance(name: string, open: Open): void {
  describe(`the store of ${name}`, () => {
    memorySuite(open);
    turnSuite(open);
    scopeSuite(open);
    summarySuite(open);
    accountSuite(open);
    answerSuite(open);
    policySuite(open);
    isolationSuite(open);
    sourceHashSuite(open);
    crashSuite(open);
    lifetimeSuite(open);
  });
}

function lifetimeSuite(open: Open): void {
  describe('lifetime', () => {
    it('STORE-39: what was written is there after the store was closed and opened', async () => {
      await using opened = await open();
      await opened.store.memories.add(memoryOf('acme', 1), rulesAt(NOW));
      const before = await opened.dump();
      const store = await opened.reopen();
      expect(await opened.dump()).toEqual(before);
      expect(await store.scopes.get(userScope('acme'))).toMatchObject({ sourceCount: 1 });
    });

    it('STORE-40: a closed store refuses with CANCELLED, and may be closed again', async () => {
      await using opened = await open();
      const { store } = opened;
      await store[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      await expect(store.wakes.get('acme')).rejects.toMatchObject({ code: 'CANCELLED' });
    });

    it('STORE-41: a sound store says so, with its engine and schema', async () => {
      await using opened = await open();
      const health = await opened.store.health();
      expect(health).toMatchObject({ ok: true, findings: [] });
      expect(health.engine).not.toBe('');
      expect(health.schemaVersion).toBeGreaterThan(0);
    });
  });
}

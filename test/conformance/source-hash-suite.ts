/** The source hash of a scope equals that of its sources, whatever was written in any order. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { sourceHashOf } from '#core/hash.ts';
import type { Store } from '#core/ports/store.ts';
import type { Scope } from '#core/scope.ts';

import { newTenant, sharedStore, type Open } from './adapter.ts';
import { allSources, claim, commitOf, refresh, type Claimed } from './refresh.ts';
import {
  digest,
  idOf,
  memoryOf,
  newContent,
  NOW,
  rulesAt,
  sessionScope,
  turnOf,
} from './samples.ts';

const RUNS = 100;
const STEPS_MAX = 20;
const MEMORIES = 5;
const TEST_MS_MAX = 180_000;

interface Step {
  readonly kind: 'add' | 'update' | 'tag' | 'delete' | 'append' | 'claim' | 'commit' | 'wait';
  readonly n: number;
  /** How long an added memory lives, in steps of waiting; 0 for ever. */
  readonly life: number;
  readonly keyed: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('add', 'update', 'tag', 'delete', 'append', 'claim', 'commit', 'wait'),
  n: fc.integer({ min: 1, max: MEMORIES }),
  life: fc.integer({ min: 0, max: 3 }),
  keyed: fc.boolean(),
});

interface Run {
  readonly store: Store;
  readonly tenant: string;
  readonly scope: Scope;
  now: number;
  claimed: Claimed | null;
}

/** Expected refusals (an id or key that is taken, an unknown id) leave the store as it was. */
async function tryTo(write: Promise<unknown>): Promise<void> {
  await write.catch((error: unknown) => {
    expect(error).toMatchObject({ code: expect.stringMatching(/^(CONFLICT|MEMORY_NOT_FOUND)$/) });
  });
}

async function take(run: Run, { kind, n, life, keyed }: Step): Promise<void> {
  const { store, tenant, scope, now } = run;
  const rules = rulesAt(now);
  const key = { tenant, id: idOf(n) };
  switch (kind) {
    case 'add': {
      const expiresAt = life === 0 ? null : now + life;
      const differing = { ...scope, expiresAt, key: keyed ? 'key' : null, tokenCount: n };
      return tryTo(store.memories.add(memoryOf(tenant, n, differing), rules));
    }
    case 'update': {
      const content = newContent(`Changed to ${life}.`, life);
      return tryTo(store.memories.update(key, { content }, rules));
    }
    case 'tag':
      return tryTo(store.memories.update(key, { tags: [String(life)] }, rules));
    case 'delete':
      return tryTo(store.memories.delete(key, rules));
    case 'append':
      return tryTo(store.turns.append([turnOf(tenant, n), turnOf(tenant, n + life)], rules));
    case 'claim':
      run.claimed = await claim(store, scope, now);
      return;
    case 'commit':
      return commitClaimed(run);
    case 'wait':
      run.now += 1;
  }
}

async function commitClaimed(run: Run): Promise<void> {
  const { store, scope, claimed, now } = run;
  if (claimed === null) return;
  run.claimed = null;
  const commit = commitOf(await store.scopes.get(scope), claimed, now);
  expect(await store.summaries.commit(commit)).toBe(true);
}

/** The counts of the scope record, and those of the sources as they are read. */
async function countsOf({ store, scope, now }: Run) {
  const { sourceHash, sourceCount, sourceTokens } = await store.scopes.get(scope);
  const sources = await allSources(store, scope, now);
  return {
    kept: { sourceHash, sourceCount, sourceTokens },
    read: {
      sourceHash: sourceHashOf(digest, sources),
      sourceCount: sources.length,
      sourceTokens: sources.reduce((sum, { tokens }) => sum + tokens, 0),
    },
  };
}

function runOf(store: Store): Run {
  const tenant = newTenant();
  return { store, tenant, scope: sessionScope(tenant), now: NOW, claimed: null };
}

export function sourceHashSuite(open: Open): void {
  describe('source hash', () => {
    const fixture = sharedStore(open);

    it(
      'matches the sources after random writes, claims, and commits',
      { timeout: TEST_MS_MAX },
      async () => {
        const { store } = fixture();
        const lasting = fc.array(
          step.map((one) => ({ ...one, life: 0 })),
          { maxLength: STEPS_MAX },
        );
        const property = fc.asyncProperty(lasting, async (steps) => {
          const run = runOf(store);
          for (const one of steps) await take(run, one);
          const { kept, read } = await countsOf(run);
          expect(kept).toEqual(read);
        });
        await fc.assert(property, { numRuns: RUNS });
      },
    );

    it('matches the sources after some of them expired', { timeout: TEST_MS_MAX }, async () => {
      const { store } = fixture();
      const property = fc.asyncProperty(fc.array(step, { maxLength: STEPS_MAX }), async (steps) => {
        const run = runOf(store);
        for (const one of steps) await take(run, one);
        await refresh(store, run.scope, run.now);
        const { kept, read } = await countsOf(run);
        expect(kept).toEqual(read);
        await removeAll(run);
      });
      await fc.assert(property, { numRuns: RUNS });
    });
  });
}

/** What ended was forgotten by the refresh, so removing it later must not count it once more. */
async function removeAll(run: Run): Promise<void> {
  for (let n = 1; n <= MEMORIES; n += 1) {
    await take(run, { kind: 'delete', n, life: 0, keyed: false });
  }
  const { kept, read } = await countsOf(run);
  expect(kept).toEqual(read);
}

/**
 * Crashes between every two steps of every write: the next reader finds the write whole or absent,
 * and no stale scope reads as fresh.
 */
import { describe, expect, it } from 'vitest';

import { sourceHashOf } from '#core/hash.ts';
import type { Store } from '#core/ports/store.ts';
import type { Scope } from '#core/scope.ts';
import { freshnessOf } from '#core/refresh/staleness.ts';

import type { Open, Opened } from './adapter.ts';
import { expectAgreement } from './agreement.ts';
import {
  BULK_WRITES,
  fill,
  SCOPE,
  SOURCE_WRITES,
  TENANT,
  WRITES,
  type Write,
} from './crash-writes.ts';
import { allSources, refresh } from './refresh.ts';
import { digest, HOUR_MS, MINUTE_MS, NOW, sessionScope } from './samples.ts';

/** More steps than any write has; a write that takes more would not end. */
const STEPS_MAX = 200;
const ALL_WRITES: Readonly<Record<string, Write>> = { ...WRITES, ...BULK_WRITES };

/** What the store holds before the write and after it, from a run in which nothing dies. */
async function ends(open: Open, write: Write): Promise<{ before: unknown; after: unknown }> {
  await using opened = await open();
  await fill(opened.store);
  const before = await opened.dump();
  await write(opened.store);
  return { before, after: await opened.dump() };
}

/** Runs the write with death at a step, and opens what the next process finds. */
async function dieIn(opened: Opened, write: Write, step: number): Promise<'died' | 'finished'> {
  opened.crashAt(step);
  let failed = false;
  try {
    await write(opened.store);
  } catch {
    failed = true;
  }
  // What is left to do once a write has resolved may die without its caller knowing.
  if (failed) expect(opened.hasCrashed()).toBe(true);
  await opened.reopen();
  return failed ? 'died' : 'finished';
}

/** Whether the summary is of the sources as they are, or is known not to be. */
async function readsTrue(store: Store, scope: Scope): Promise<boolean> {
  const summary = await store.summaries.get(scope, '');
  const record = await store.scopes.get(scope);
  const policy = { maxAgeMs: HOUR_MS };
  const recipeHash = summary?.recipeHash ?? '';
  const freshness = freshnessOf({ summary, scope: record, recipeHash, policy, now: NOW });
  const sources = await allSources(store, scope, NOW);
  return freshness.kind === 'Stale' || summary?.sourceHash === sourceHashOf(digest, sources);
}

/** Says what the store holds, once everything that it says of it was found right. */
type Look = (opened: Opened) => Promise<string>;

/**
 * Dies at one step after another while that leaves the store as it was, and looks at what each
 * death left behind. Answers the step after the last, null where the write was finished.
 */
async function diesFrom(
  opened: Opened,
  write: Write,
  { first, look }: { readonly first: number; readonly look: Look },
): Promise<number | null> {
  const before = JSON.stringify(await opened.dump());
  for (let step = first; step < STEPS_MAX; step += 1) {
    const end = await dieIn(opened, write, step);
    const found = await look(opened);
    if (end === 'finished') return null;
    if (found !== before) return step + 1;
  }
  throw new Error('The write has no end.');
}

/** Dies at every step of a write; `fillIt` fills a new store once the last one has changed. */
async function dieEverywhere(
  { open, fillIt }: { readonly open: Open; readonly fillIt: (store: Store) => Promise<void> },
  write: Write,
  look: Look,
): Promise<void> {
  for (let first: number | null = 0; first !== null;) {
    await using opened = await open();
    await fillIt(opened.store);
    first = await diesFrom(opened, write, { first, look });
  }
}

export function crashSuite(open: Open): void {
  describe('a crash', () => {
    it.each(Object.entries(WRITES))(
      '%s is complete or absent after a crash at any step',
      async (_, write) => {
        const { before, after } = await ends(open, write);
        expect(after).not.toEqual(before);
        await using opened = await open();
        await fill(opened.store);
        let deaths = 0;
        for (let step = 0; step < STEPS_MAX; step += 1) {
          if ((await dieIn(opened, write, step)) === 'finished') break;
          deaths += 1;
          const found = await opened.dump();
          if (JSON.stringify(found) === JSON.stringify(after)) break;
          expect(found).toEqual(before);
        }
        expect(deaths).toBeGreaterThanOrEqual(opened.stepsMin);
        expect(await opened.dump()).toEqual(after);
        expect(await opened.store.health()).toMatchObject({ ok: true, findings: [] });
      },
    );

    it.each(Object.entries(ALL_WRITES).filter(([name]) => SOURCE_WRITES.has(name)))(
      'a stale scope never reads as fresh after a crash at any step of %s',
      async (_, write) => {
        const scopes = [SCOPE, sessionScope(TENANT)];
        const fillIt = async (store: Store): Promise<void> => {
          await fill(store);
          for (const scope of scopes) await refresh(store, scope, NOW);
        };
        // What the store says comes first: a look at all that it holds may finish a write.
        await dieEverywhere({ open, fillIt }, write, async ({ store, dump }) => {
          for (const scope of scopes) expect(await readsTrue(store, scope)).toBe(true);
          return JSON.stringify(await dump());
        });
      },
    );

    it.each(Object.entries(ALL_WRITES).filter(([name]) => name.startsWith('memories.')))(
      'list, search, and history agree with get after a crash at any step of %s',
      async (_, write) => {
        const seen = new Set<string>();
        await dieEverywhere({ open, fillIt: fill }, write, async ({ store, dump }) => {
          const found = JSON.stringify(await dump());
          if (!seen.has(found)) await expectAgreement(store, SCOPE, NOW + MINUTE_MS);
          seen.add(found);
          return found;
        });
        expect(seen.size).toBeGreaterThan(1);
      },
    );
  });
}

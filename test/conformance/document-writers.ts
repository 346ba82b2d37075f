/** Two stores on one database, as in two processes, that write to one Markdown memory. */
import * as fc from 'fast-check';
import { expect } from 'vitest';

import type { Store } from '#core/ports/store.ts';
import type { Document } from '#core/records/document.ts';
import { ARCHIVE_PATH, MEMORY_PATH } from '#core/memory-files/paths.ts';

import { newTenant } from './adapter.ts';
import { ANN, blockOf, coreOf, DAILY, subjectIdOf } from './document-samples.ts';

const RUNS = 10;
const PAGE = 4;
export const VERSIONS = 5;

const APPENDS = fc.array(
  fc.record({
    store: fc.constantFrom(0, 1),
    path: fc.constantFrom(DAILY, ARCHIVE_PATH),
    key: fc.option(fc.constantFrom('a', 'b'), { freq: 3 }),
  }),
  { minLength: 2, maxLength: 20 },
);

/**
 * Blocks are numbered without a gap, and the file is what was appended, by these numbers; answers
 * how many there were.
 */
export async function expectNumbersWithoutGap(stores: readonly [Store, Store]): Promise<number> {
  let appended = 0;
  const property = fc.asyncProperty(APPENDS, async (appends) => {
    const tenant = newTenant();
    const ends = await Promise.all(
      appends.map(({ store, path, key }, n) => {
        const kind = path === DAILY ? 'Daily' : 'Archive';
        const block = blockOf(tenant, n, { path, kind, key });
        return (store === 0 ? stores[0] : stores[1]).documents.append(block, {
          subjectId: subjectIdOf(n % 2),
        });
      }),
    );
    for (const path of [DAILY, ARCHIVE_PATH]) {
      const fresh = ends.filter(({ isNew, document }) => isNew && document.path === path);
      const blocks = fresh.map(({ document }) => document);
      const expected = blocks.toSorted((a, b) => a.version - b.version);
      expect(expected.map(({ version }) => version)).toEqual(blocks.map((_, n) => n + 1));
      appended += blocks.length;
      const keys = expected.flatMap(({ key }) => key ?? []);
      expect(new Set(keys).size).toBe(keys.length);
      for (const store of stores) expect(await fileOf(store, tenant, path)).toEqual(expected);
    }
    const hasDaily = appends.some(({ path }) => path === DAILY);
    const subject = await stores[0].subjects.get(tenant, ANN);
    expect(subject?.hasNew ?? false).toBe(hasDaily);
  });
  await fc.assert(property, { numRuns: RUNS });
  return appended;
}

/** Of two applications from one version one is written; answers how many versions there are. */
export async function expectOneApplies(stores: readonly [Store, Store]): Promise<number> {
  const tenant = newTenant();
  for (let version = 1; version <= VERSIONS; version += 1) {
    const [first, second] = stores.map((store, at) =>
      store.documents.put(coreOf(tenant, version, { proposalId: `proposal-${at}` })),
    );
    const won = [await first, await second];
    expect(won.filter(Boolean)).toHaveLength(1);
    const latest = await stores[0].documents.latest({ tenant, subject: ANN, path: MEMORY_PATH });
    expect(latest).toMatchObject({ version, proposalId: `proposal-${won.indexOf(true)}` });
  }
  const place = { tenant, subject: ANN, path: MEMORY_PATH };
  return (await stores[1].documents.list(place, { after: 0, limit: 2 * VERSIONS })).length;
}

async function fileOf(store: Store, tenant: string, path: string): Promise<readonly Document[]> {
  const blocks: Document[] = [];
  for (;;) {
    const page = { after: blocks.at(-1)?.version ?? 0, limit: PAGE };
    const found = await store.documents.list({ tenant, subject: ANN, path }, page);
    if (found.length === 0) return blocks;
    // Each page ends later than the one before it, so that there is a last one.
    expect(found.at(-1)?.version).toBeGreaterThan(page.after);
    blocks.push(...found);
  }
}

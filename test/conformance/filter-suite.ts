/** The suite of filters: every store decides as `matchesFilter` of core does. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Store } from '#core/ports/store.ts';
import { matchesFilter } from '#core/search/filter-match.ts';
import type { Filter } from '#core/search/filter.ts';

import { newTenant, sharedStore, type Fixture, type Open } from './adapter.ts';
import { FILTER_CASES, FILTER_ROWS } from './filter-cases.ts';
import { anyFilter, anyMetadata } from './filter-samples.ts';
import { idOf, userScope } from './samples.ts';
import { addAll, byVector, byWords, embedded, found, listedIds } from './search-samples.ts';

const RUNS = 30;
const FILTERS_PER_RUN = 5;
const MEMORIES_MAX = 12;
const TEST_MS_MAX = 180_000;

export function filterSuite(open: Open): void {
  describe('filters: each operator', () => {
    operatorSuite(open);
  });
  describe('filters: random filters', () => {
    propertySuite(open);
  });
}

/** Ids of the memories that meet a filter, by list and by both legs of a search; all the same. */
async function metBy(store: Store, tenant: string, filter: Filter): Promise<readonly string[]> {
  const conditions = { filter };
  const scope = userScope(tenant);
  const listed = await listedIds(store, [scope], { conditions, limit: 5 });
  const asked = { conditions, limit: 100 };
  expect(await found(store, scope, byVector([1, 0], asked))).toEqual(listed);
  expect(await found(store, scope, byWords('garden', asked))).toEqual(listed);
  return listed;
}

function operatorSuite(open: Open): void {
  const fixture = sharedStore(open);
  let filled: Pick<Fixture, 'store' | 'tenant'> | null = null;
  const rows = Object.entries(FILTER_ROWS);

  /** One tenant for the whole table: no case changes anything. */
  async function fill(): Promise<Pick<Fixture, 'store' | 'tenant'>> {
    if (filled !== null) return filled;
    const { store, tenant } = fixture();
    filled = { store, tenant };
    await addAll(
      store,
      rows.map(([, metadata], at) => embedded(tenant, at, [1, 0], { metadata: { ...metadata } })),
    );
    return filled;
  }

  it.each(FILTER_CASES)('%s', async (_, filter, expected) => {
    const { store, tenant } = await fill();
    const met = await metBy(store, tenant, filter);
    const names = rows.filter((_row, at) => met.includes(idOf(at))).map(([name]) => name);
    expect(names.toSorted()).toEqual([...expected].toSorted());
  });
}

function propertySuite(open: Open): void {
  const fixture = sharedStore(open);

  it('MEM-19: a store matches the same metadata as core', { timeout: TEST_MS_MAX }, async () => {
    const { store } = fixture();
    const filters = fc.array(anyFilter, { minLength: 1, maxLength: FILTERS_PER_RUN });
    const metadata = fc.array(anyMetadata, { minLength: 1, maxLength: MEMORIES_MAX });
    await fc.assert(
      fc.asyncProperty(filters, metadata, async (asked, kept) => {
        const tenant = newTenant();
        await addAll(
          store,
          kept.map((each, at) => embedded(tenant, at, [1, 0], { metadata: each })),
        );
        for (const filter of asked) {
          const expected = kept.flatMap((each, at) =>
            matchesFilter(filter, each) ? [idOf(at)] : [],
          );
          expect(await metBy(store, tenant, filter)).toEqual(expected);
        }
      }),
      { numRuns: RUNS },
    );
  });
}

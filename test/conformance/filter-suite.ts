/** The suite of filters: in every store they mean what `matchesFilter` of core says. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Store } from '#core/ports/store.ts';
import { matchesFilter, type Filter } from '#core/search/filter.ts';

import { newTenant, sharedStore, type Fixture, type Open } from './adapter.ts';
import { anyFilter, anyMetadata } from './filter-samples.ts';
import { idOf, userScope } from './samples.ts';
import { addAll, byVector, byWords, embedded, found, listedIds } from './search-samples.ts';

const RUNS = 30;
const FILTERS_PER_RUN = 5;
const MEMORIES_MAX = 12;
const TEST_MS_MAX = 60_000;

/** Metadata by name: what is filtered here. */
const ROWS = {
  none: {},
  one: { n: 1, s: 'one', b: true, d: '2026-11-01', list: [1, 2] },
  two: { n: 2, s: 'two', b: false, d: '2026-11-02T12:00:00Z', list: ['one', 'two'] },
  text: { n: '2', s: 'One', b: 'true', d: 'soon', list: [] },
  nested: { deep: { er: { n: 3 } }, list: [{ n: 9 }], s: 'a.b' },
  nulls: { n: null, s: '', list: [null, true], 'odd name': 'x', 'a"b': 1 },
  large: { n: 9_007_199_254_740_991, s: '日本 🌱 عربي', d: '2026-11-02T13:00:00+02:00' },
  negative: { n: -1.5, s: '$where', list: [-1, 0], toString: 'own' },
} as const;
type Row = keyof typeof ROWS;

const CASES: readonly (readonly [string, Filter, readonly Row[]])[] = [
  ['eq of a number', { field: 'n', eq: 1 }, ['one']],
  ['eq of a text that looks like a number', { field: 'n', eq: '2' }, ['text']],
  ['eq of a fraction', { field: 'n', eq: -1.5 }, ['negative']],
  ['eq of the largest whole number', { field: 'n', eq: 9_007_199_254_740_991 }, ['large']],
  ['eq of a text, upper and lower case apart', { field: 's', eq: 'one' }, ['one']],
  ['eq of an empty text', { field: 's', eq: '' }, ['nulls']],
  ['eq of any script', { field: 's', eq: '日本 🌱 عربي' }, ['large']],
  ['eq of a text that is an operator elsewhere', { field: 's', eq: '$where' }, ['negative']],
  ['eq of true', { field: 'b', eq: true }, ['one']],
  ['eq of false', { field: 'b', eq: false }, ['two']],
  ['eq of an element', { field: 'list', eq: 2 }, ['one']],
  ['eq of the number that is no boolean', { field: 'list', eq: 1 }, ['one']],
  ['eq of the boolean that is no number', { field: 'list', eq: true }, ['nulls']],
  ['eq of a day', { field: 'd', eq: { date: '2026-11-01' } }, ['one']],
  ['eq of a time in another zone', { field: 'd', eq: { date: '2026-11-02T11:00:00Z' } }, ['large']],
  ['eq of a name of a prototype', { field: 'toString', eq: 'own' }, ['negative']],
  ['ne of a number', { field: 'n', ne: 1 }, ['two', 'text', 'large', 'negative']],
  ['ne of a text', { field: 'b', ne: 'true' }, ['one', 'two']],
  ['in of several types', { field: 'n', in: [1, '2'] }, ['one', 'text']],
  ['in of a date', { field: 'd', in: [{ date: '2026-11-02T12:00:00Z' }] }, ['two']],
  ['contains of a part', { field: 's', contains: 'ne' }, ['one', 'text']],
  [
    'contains of every text',
    { field: 's', contains: '' },
    ['one', 'two', 'text', 'nested', 'nulls', 'large', 'negative'],
  ],
  ['contains of a character beyond the first plane', { field: 's', contains: '🌱' }, ['large']],
  ['contains of a point, which is no pattern', { field: 's', contains: 'a.' }, ['nested']],
  ['contains of an element', { field: 'list', contains: 'tw' }, ['two']],
  ['contains of a text that a boolean looks like', { field: 'b', contains: 'true' }, ['text']],
  ['contains of a number', { field: 'list', contains: 0 }, ['negative']],
  ['exists', { field: 'b', exists: true }, ['one', 'two', 'text']],
  [
    'exists, which null does not',
    { field: 'n', exists: true },
    ['one', 'two', 'text', 'large', 'negative'],
  ],
  [
    'exists, which an empty list does not',
    { field: 'list', exists: true },
    ['one', 'two', 'nulls', 'negative'],
  ],
  ['exists not', { field: 'd', exists: false }, ['none', 'nested', 'nulls', 'negative']],
  ['gt of a number', { field: 'n', gt: 1 }, ['two', 'large']],
  ['gte of a number', { field: 'n', gte: 1 }, ['one', 'two', 'large']],
  ['lt of a number', { field: 'n', lt: 1 }, ['negative']],
  ['lte of a number', { field: 'n', lte: 1 }, ['one', 'negative']],
  ['gt and lte of a number', { field: 'n', gt: 1, lte: 2 }, ['two']],
  ['gt of a text', { field: 's', gt: 'one' }, ['two', 'large']],
  ['lt of a text', { field: 's', lt: 'a' }, ['text', 'nulls', 'negative']],
  ['gt of a day', { field: 'd', gt: { date: '2026-11-01' } }, ['two', 'large']],
  ['lt of a time', { field: 'd', lt: { date: '2026-11-02T12:00:00Z' } }, ['one', 'large']],
  ['a range that one element meets', { field: 'list', gte: 1, lt: 2 }, ['one']],
  ['a range that no single element meets', { field: 'list', gt: 1, lt: 2 }, []],
  ['a path', { field: 'deep.er.n', eq: 3 }, ['nested']],
  ['a path that ends above the value', { field: 'deep.er', exists: true }, []],
  ['a path into a list', { field: 'list.n', eq: 9 }, []],
  ['a path into a text', { field: 's.length', exists: true }, []],
  ['a name with a space', { field: 'odd name', eq: 'x' }, ['nulls']],
  ['a name with a quotation mark', { field: 'a"b', eq: 1 }, ['nulls']],
  ['a field that nothing has', { field: 'missing', ne: 1 }, []],
  [
    'and',
    {
      and: [
        { field: 'n', gte: 1 },
        { field: 'b', eq: false },
      ],
    },
    ['two'],
  ],
  [
    'or',
    {
      or: [
        { field: 'n', eq: 1 },
        { field: 's', eq: 'two' },
      ],
    },
    ['one', 'two'],
  ],
  [
    'not, which an absent field meets',
    { not: { field: 'n', gt: 0 } },
    ['none', 'text', 'nested', 'nulls', 'negative'],
  ],
  ['not of not', { not: { not: { field: 'n', eq: 1 } } }, ['one']],
  [
    'not of or',
    {
      not: {
        or: [
          { field: 's', contains: '' },
          { field: 'n', eq: 1 },
        ],
      },
    },
    ['none'],
  ],
];

export function filterSuite(open: Open): void {
  describe('filters: each operator', () => {
    operatorSuite(open);
  });
  describe('filters: any of them', () => {
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
  const rows = Object.entries(ROWS);

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

  it.each(CASES)('%s', async (_, filter, expected) => {
    const { store, tenant } = await fill();
    const met = await metBy(store, tenant, filter);
    const names = rows.filter((_row, at) => met.includes(idOf(at))).map(([name]) => name);
    expect(names.toSorted()).toEqual([...expected].toSorted());
  });
}

function propertySuite(open: Open): void {
  const fixture = sharedStore(open);

  it('MEM-19: means the same as over the metadata itself', { timeout: TEST_MS_MAX }, async () => {
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

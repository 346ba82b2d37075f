/** mem0's filters, and which memories each selects. */
import { describe, expect, test } from 'vitest';
import { selectionsOf, SELECTIONS_MAX } from '#api/mem0/filters.ts';
import { Filter } from '#core/search/filter.ts';
import { matchesFilter } from '#core/search/filter-match.ts';
import { failureOf } from '#test/unit/library/open-library.ts';

const ANN = { entities: { user_id: 'ann' }, tags: [], conditions: [] };
const NOBODY = { entities: {}, tags: [], conditions: [] };

describe('mem0 filters', () => {
  test.each<[string, unknown, unknown]>([
    ['one entity', { user_id: 'ann' }, [ANN]],
    ['one entity given twice', { AND: [{ user_id: 'ann' }, { user_id: { eq: 'ann' } }] }, [ANN]],
    ['two ids of one entity at once', { AND: [{ user_id: 'ann' }, { user_id: 'ben' }] }, []],
    [
      'either of two entities',
      { OR: [{ user_id: 'ann' }, { agent_id: { in: ['a', 'b'] } }] },
      [ANN, { ...NOBODY, entities: { agent_id: 'a' } }, { ...NOBODY, entities: { agent_id: 'b' } }],
    ],
    [
      'an entity with either of two fields',
      {
        AND: [{ user_id: 'ann' }, { OR: [{ color: 'red' }, { metadata: { stars: { gte: 4 } } }] }],
      },
      [
        {
          ...ANN,
          conditions: [
            {
              or: [
                { field: 'color', eq: 'red' },
                { field: 'stars', gte: 4 },
              ],
            },
          ],
        },
      ],
    ],
    [
      'a negated field',
      { user_id: 'ann', NOT: { stars: { lt: 2 } } },
      [{ ...ANN, conditions: [{ not: { field: 'stars', lt: 2 } }] }],
    ],
    [
      'a list, its opposite, and any value',
      { user_id: 'ann', a: ['x'], b: { nin: ['y'] }, c: '*' },
      [
        {
          ...ANN,
          conditions: [
            { field: 'a', in: ['x'] },
            { not: { field: 'b', in: ['y'] } },
            { field: 'c', exists: true },
          ],
        },
      ],
    ],
    [
      'categories',
      { user_id: 'ann', categories: { contains: 'food' } },
      [{ ...ANN, tags: ['food'] }],
    ],
  ])('translate %s', (_, filters, selections) => {
    const found = selectionsOf(filters);
    expect(found).toEqual(selections);
    for (const { conditions } of found) {
      for (const each of conditions) expect(Filter.safeParse(each).success).toBe(true);
    }
  });

  test.each([
    [{ topic: 'food' }, true],
    [{ topic: 'like', mem0: { metadata: { topic: 'food' } } }, true],
    [{ topic: 'food', mem0: { metadata: { topic: 'music' } } }, false],
  ])('prefer the field of the caller to that of extraction in %j: %j', (metadata, isFound) => {
    const [selection] = selectionsOf({ user_id: 'ann', topic: 'food' });
    const conditions = selection?.conditions ?? [];
    expect(conditions.every((each) => matchesFilter(each, metadata))).toBe(isFound);
  });

  const nested = Array.from({ length: 20 }).reduce<unknown>((all) => ({ AND: [all] }), {});
  const ids = Array.from({ length: SELECTIONS_MAX + 1 }, (_, at) => String(at));
  test.each<[string, unknown]>([
    ['a text', 'ann'],
    ['an entity with any id', { user_id: '*' }],
    ['a negated entity', { user_id: { ne: 'ann' } }],
    ['an entity below NOT', { NOT: [{ user_id: 'ann' }] }],
    ['two lists of categories', { AND: [{ categories: ['a'] }, { categories: ['b'] }] }],
    ['an unknown comparison', { stars: { icontains: 'x' } }],
    ['a time', { user_id: 'ann', created_at: { gte: '2026-01-01' } }],
    ['an empty AND', { AND: [] }],
    ['too many levels', nested],
    ['too many entities', { user_id: { in: ids } }],
    ['too many conditions', { AND: Array.from({ length: 1_000 }, () => ({ a: 1 })) }],
  ])('refuse %s', async (_, filters) => {
    const failure = await failureOf(Promise.resolve().then(() => selectionsOf(filters)));
    expect(failure).toMatchObject({ code: 'INVALID_INPUT' });
    expect(failure.message).toMatch(/^filters: /u);
  });
});

/** What each operator of a filter means, in core and in every store. */
import type { Filter } from '#core/search/filter.ts';

/** Metadata by name. */
export const FILTER_ROWS = {
  none: {},
  one: { n: 1, s: 'one', b: true, d: '2026-11-01', list: [1, 2] },
  two: { n: 2, s: 'two', b: false, d: '2026-11-02T12:00:00Z', list: ['one', 'two'] },
  text: { n: '2', s: 'One', b: 'true', d: 'soon', list: [] },
  nested: { deep: { er: { n: 3 } }, list: [{ n: 9 }], s: 'a.b' },
  nulls: { n: null, s: '', list: [null, true], 'odd name': 'x', 'a"b': 1 },
  large: { n: 9_007_199_254_740_991, s: '日本 🌱 عربي', d: '2026-11-02T13:00:00+02:00' },
  negative: { n: -1.5, s: '$where', list: [-1, 0], toString: 'own' },
} as const;
type Row = keyof typeof FILTER_ROWS;

/** What a filter is about, and which of the rows meet it. */
export const FILTER_CASES: readonly (readonly [string, Filter, readonly Row[]])[] = [
  ['eq of a number', { field: 'n', eq: 1 }, ['one']],
  ['eq of a text that looks like a number', { field: 'n', eq: '2' }, ['text']],
  ['eq of a fraction', { field: 'n', eq: -1.5 }, ['negative']],
  ['eq of the largest whole number', { field: 'n', eq: 9_007_199_254_740_991 }, ['large']],
  ['eq of a text is case-sensitive', { field: 's', eq: 'one' }, ['one']],
  ['eq of an empty text', { field: 's', eq: '' }, ['nulls']],
  ['eq of any script', { field: 's', eq: '日本 🌱 عربي' }, ['large']],
  ['eq of a text that looks like an operator', { field: 's', eq: '$where' }, ['negative']],
  ['eq of true', { field: 'b', eq: true }, ['one']],
  ['eq of false', { field: 'b', eq: false }, ['two']],
  ['eq of a list element', { field: 'list', eq: 2 }, ['one']],
  ['eq of 1 does not match true', { field: 'list', eq: 1 }, ['one']],
  ['eq of true does not match 1', { field: 'list', eq: true }, ['nulls']],
  ['eq of a day', { field: 'd', eq: { date: '2026-11-01' } }, ['one']],
  ['eq of a time in another zone', { field: 'd', eq: { date: '2026-11-02T11:00:00Z' } }, ['large']],
  ['eq of a field named like a method', { field: 'toString', eq: 'own' }, ['negative']],
  ['ne of a number', { field: 'n', ne: 1 }, ['two', 'text', 'large', 'negative']],
  ['ne of a text', { field: 'b', ne: 'true' }, ['one', 'two']],
  ['in of several types', { field: 'n', in: [1, '2'] }, ['one', 'text']],
  ['in of a date', { field: 'd', in: [{ date: '2026-11-02T12:00:00Z' }] }, ['two']],
  ['contains part of a text', { field: 's', contains: 'ne' }, ['one', 'text']],
  [
    'contains an empty text',
    { field: 's', contains: '' },
    ['one', 'two', 'text', 'nested', 'nulls', 'large', 'negative'],
  ],
  ['contains an emoji', { field: 's', contains: '🌱' }, ['large']],
  ['contains a period, which is not a pattern', { field: 's', contains: 'a.' }, ['nested']],
  ['contains part of a list element', { field: 'list', contains: 'tw' }, ['two']],
  ['contains "true" does not match a boolean', { field: 'b', contains: 'true' }, ['text']],
  ['contains a number in a list', { field: 'list', contains: 0 }, ['negative']],
  ['exists', { field: 'b', exists: true }, ['one', 'two', 'text']],
  [
    'exists does not match null',
    { field: 'n', exists: true },
    ['one', 'two', 'text', 'large', 'negative'],
  ],
  [
    'exists does not match an empty list',
    { field: 'list', exists: true },
    ['one', 'two', 'nulls', 'negative'],
  ],
  ['exists is false', { field: 'd', exists: false }, ['none', 'nested', 'nulls', 'negative']],
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
  ['a field that no memory has', { field: 'missing', ne: 1 }, []],
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
    'not matches an absent field',
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

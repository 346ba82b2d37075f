import * as fc from 'fast-check';
import { Query } from 'mingo';
import { describe, expect, it } from 'vitest';

import { matchesFilter } from '#core/search/filter-match.ts';
import type { Filter } from '#core/search/filter.ts';
import { filterCondition } from '#providers/mongodb/filter-condition.ts';
import { metadataFields } from '#providers/mongodb/memory-documents.ts';
import { orderedText, partPattern } from '#providers/mongodb/text-order.ts';
import { anyFilter, anyMetadata } from '#test/conformance/filter-samples.ts';

const RUNS = 3_000;
/** What stands before, among and after the characters that two code units stand for. */
const EDGES = ['a', '\u00ff', '\u0100', '\u0101', '\ud7ff', '\ue000', '\ue001', '\uffff'];
const WIDE = ['\u{10000}', '\u{1f331}', '\u{10fffe}', '\u{10ffff}'];
const text = fc
  .array(fc.constantFrom(...EDGES, ...WIDE), { maxLength: 4 })
  .map((characters) => characters.join(''));

/** Whether MongoDB finds a memory of this metadata, as far as mingo is MongoDB. */
function isFound(filter: Filter, metadata: Record<string, unknown>): boolean {
  return new Query({ ...filterCondition(filter) }).test({ fields: metadataFields(metadata) });
}

/** As MongoDB compares texts: by the bytes of UTF-8. */
function order(a: string, b: string): number {
  return Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

const MEANINGS: readonly (readonly [string, Filter, Record<string, unknown>, boolean])[] = [
  ['a name with a dot is not a path', { field: 'a.b', eq: 1 }, { 'a.b': 1 }, false],
  ['a path leads into objects', { field: 'a.b', eq: 1 }, { a: { b: 1 } }, true],
  ['a path does not lead into lists', { field: 'a.b', eq: 1 }, { a: [{ b: 1 }] }, false],
  ['a part is not a pattern', { field: 'a', contains: '.*' }, { a: 'abc' }, false],
  [
    'a part with pattern characters is found',
    { field: 'a', contains: '(.*)+$' },
    { a: 'x(.*)+$y' },
    true,
  ],
  ['upper and lower case differ', { field: 'a', contains: 'B' }, { a: 'abc' }, false],
  ['the empty part is in every text', { field: 'a', contains: '' }, { a: 'x' }, true],
  ['the empty part is in no number', { field: 'a', contains: '' }, { a: 1 }, false],
  ['both limits apply to the same element', { field: 'a', gt: 1, lt: 3 }, { a: [0, 4] }, false],
  ['a text is not a date', { field: 'a', ne: { date: '2026-11-01' } }, { a: 'x' }, true],
  ['an operator is a text', { field: 'a', eq: '$where' }, { a: '$where' }, true],
];

describe('filters in the language of MongoDB', () => {
  it.each(MEANINGS)('%s', (_, filter, metadata, expected) => {
    expect(matchesFilter(filter, metadata)).toBe(expected);
    expect(isFound(filter, metadata)).toBe(expected);
  });

  it('MEM-19: any filter gives the same result as matchesFilter on any metadata', () => {
    fc.assert(
      fc.property(anyFilter, anyMetadata, (filter, metadata) => {
        expect(isFound(filter, metadata)).toBe(matchesFilter(filter, metadata));
      }),
      { numRuns: RUNS },
    );
  });

  it('MONGODB-5: ordered texts compare as in JavaScript', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const expected = a === b ? 0 : a < b ? -1 : 1;
        expect(order(orderedText(a), orderedText(b))).toBe(expected);
      }),
      { numRuns: RUNS },
    );
  });

  it('MONGODB-5: a pattern finds exactly the part of a text', () => {
    fc.assert(
      fc.property(text, text, (whole, part) => {
        const pattern = new RegExp(partPattern(part), 'u');
        expect(pattern.test(orderedText(whole))).toBe(whole.includes(part));
      }),
      { numRuns: RUNS },
    );
  });

  it('MONGODB-6: metadata of any depth and width has a limited number of fields', () => {
    let deep: Record<string, unknown> = { end: 1 };
    for (let depth = 0; depth < 4_000; depth += 1) deep = { a: deep };
    expect(
      metadataFields({ deep, wide: Array.from({ length: 4_000 }, (_, at) => at % 7) }),
    ).toHaveLength(7);
  });
});

/** Long lists in chunks and pages. */
import { expect, test } from 'vitest';
import { chunked, pagesOf } from '#core/list-portions.ts';

test.each([
  [[], []],
  [[1, 2], [[1, 2]]],
  [
    [1, 2, 3],
    [[1, 2], [3]],
  ],
])('chunked takes %j two at a time', (items, chunks) => {
  expect(chunked(items, 2)).toEqual(chunks);
});

test('pagesOf stops at its bound, even if a store returns the same page forever', async () => {
  const pages = await Array.fromAsync(pagesOf(1, () => Promise.resolve(['same']), 3));
  expect(pages).toEqual([['same'], ['same'], ['same']]);
});

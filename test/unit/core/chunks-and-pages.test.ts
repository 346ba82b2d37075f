/** Long lists in chunks, in pages and in lanes. */
import { expect, test } from 'vitest';
import { chunked, forEachConcurrently, pagesOf } from '#core/chunks-and-pages.ts';

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

test('forEachConcurrently begins items in order, and at most so many at once', async () => {
  const begun: number[] = [];
  let [now, most] = [0, 0];
  await forEachConcurrently([1, 2, 3, 4, 5], 2, async (item) => {
    begun.push(item);
    now += 1;
    most = Math.max(most, now);
    await Promise.resolve();
    now -= 1;
  });
  expect([begun, most]).toEqual([[1, 2, 3, 4, 5], 2]);
});

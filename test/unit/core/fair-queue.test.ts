import { expect, test } from 'vitest';
import { createFairQueue } from '#core/fair-queue.ts';

test('tenants take turns, and each is served in order of arrival', () => {
  const queue = createFairQueue<string>();
  for (const item of ['a1', 'a2', 'a3', 'b1', 'a4', 'c1', 'b2']) queue.add(item.charAt(0), item);
  expect(queue.tenants()).toEqual(['a', 'b', 'c']);
  expect(queue.nextOf('c')).toBe('c1');
  expect(queue.tenants()).toEqual(['a', 'b']);
  expect(queue.peek()).toBe('a1');
  const served = Array.from({ length: queue.size }, () => queue.next());
  expect(served).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a4']);
  expect([queue.next(), queue.nextOf('a'), queue.peek(), queue.size]).toEqual([
    null,
    null,
    null,
    0,
  ]);
});

import { expect, test } from 'vitest';
import type { BatchItem } from '#core/ports/model.ts';
import { promptOf } from '#core/prompt/summary-prompt.ts';
import { memorySource } from '#core/sources/source.ts';
import { digest, memoryOf } from '#test/conformance/samples.ts';

const item = (name: string, again: Partial<BatchItem>): BatchItem => ({
  item: name,
  layer: 'team',
  depths: ['sentence'],
  task: 'Extract',
  tokensMax: 500,
  audience: null,
  sources: [memorySource(memoryOf('acme', 1))],
  ...again,
});

test('only the item that is asked for again gets a reason', () => {
  const batch = { items: [item('a', {}), item('b', { again: 'TooLong' })] };
  const { user } = promptOf(batch, { attemptId: 'attempt', digest, now: 0 });
  const lines = user.split('\n').filter((line) => line.startsWith('Item '));
  expect(lines.map((line) => line.includes('too long'))).toEqual([false, true]);
});

import { expect, test } from 'vitest';
import { loadGptTokenizer, countByChunks } from '#providers/tokenizers/gpt-tokenizer.ts';
import { keptBytes, TEXT_BYTES } from './kept-memory.ts';

test('the cache of chunk counts does not keep the texts in memory', async () => {
  const count = countByChunks((chunk) => chunk.length);
  expect(await keptBytes(count)).toBeLessThan(TEXT_BYTES / 10);
  // The chunks are needed up to here: what is collected as a whole keeps nothing either.
  expect(count('one two')).toBe(7);
});

test('the tokenizer, which caches chunk merges, does not keep the texts in memory', async () => {
  const count = await loadGptTokenizer();
  expect(await keptBytes(count)).toBeLessThan(TEXT_BYTES / 10);
  expect(count('tiktoken is great!')).toBe(6);
});

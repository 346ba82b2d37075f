import { expect, test } from 'vitest';
import { loadGptTokenizer, countByChunks } from '#providers/tokenizers/gpt-tokenizer.ts';
import { keptBytes, TEXT_BYTES } from './kept-memory.ts';

test('the counts of chunks that are kept do not keep the texts', async () => {
  const count = countByChunks((chunk) => chunk.length);
  expect(await keptBytes(count)).toBeLessThan(TEXT_BYTES / 10);
  // The chunks are needed up to here: what is collected as a whole keeps nothing either.
  expect(count('one two')).toBe(7);
});

test('nor does the tokenizer, which keeps the merges of chunks', async () => {
  const count = await loadGptTokenizer();
  expect(await keptBytes(count)).toBeLessThan(TEXT_BYTES / 10);
  expect(count('tiktoken is great!')).toBe(6);
});

import { expect, test } from 'vitest';
import { answeredItems } from '#core/prompt/parse-answer.ts';
import type { BatchItem } from '#core/ports/model.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { memorySource } from '#core/sources/source.ts';
import { createExtractiveModel } from '#providers/extractive/extractive-model.ts';
import { loadTokenCounter } from '#providers/tokenizers/token-counter.ts';
import { idOf, memoryOf, NOW } from '#test/conformance/samples.ts';

const tokens = await loadTokenCounter({ log: SILENT_LOG });
const model = createExtractiveModel(tokens);

const TEXTS = [
  'The launch of the shop moves to December.',
  'The invoice of the customer is paid by the office.',
  'The server of the office is replaced on Friday.',
];
const sources = TEXTS.map((content, n) =>
  memorySource(memoryOf('acme', n, { content, validFrom: NOW + n, tokenCount: 10 })),
);

async function answerTo(differing: Partial<BatchItem>) {
  const general = { item: 'a', layer: 'project', depths: ['detailed'], audience: null } as const;
  const item = { ...general, task: 'Extract', tokensMax: 500, sources, ...differing } as const;
  const call = { attemptId: 'attempt', signal: new AbortController().signal };
  const { text } = await model.answer({ items: [item] }, call);
  return answeredItems(text).get('a');
}

test('a selection names facts by id, each once, and states no new facts', async () => {
  const answered = await answerTo({ task: 'Select' });
  expect(answered).toMatchObject({ facts: null, malformed: 0 });
  expect(answered?.kept?.toSorted()).toEqual(TEXTS.map((_, n) => idOf(n)));
});

test('neither facts nor a selection exceed the token limit', async () => {
  const kept = (await answerTo({ task: 'Select', tokensMax: 12 }))?.kept ?? [];
  expect(kept).toHaveLength(1);
  const facts = (await answerTo({ tokensMax: 12 }))?.facts ?? [];
  expect(facts).toHaveLength(1);
  expect(tokens.count(facts[0]?.text ?? '')).toBeLessThanOrEqual(12);
});

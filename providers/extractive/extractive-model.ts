/** The extractive summariser behind the model port: no model, no call, no price. */
import type { BatchAnswer } from '#core/answer.ts';
import type { BatchItem, SummaryModel } from '#core/ports/model.ts';
import type { TokenCounter } from '#core/ports/token-counter.ts';
import { DEPTH_TOKENS_MAX } from '#core/records/summary.ts';
import { extractFacts, type ExtractSource } from './extract.ts';

/** Raised when the same sources may give other facts: part of the recipe. */
const REVISION = '2';
/** It reads what the store holds; batches are packed by this, so that no item starves others. */
const INPUT_TOKENS_MAX = 1_000_000;

/** Deterministic to the byte: the same sources give the same answer. */
export function createExtractiveModel(tokens: TokenCounter): SummaryModel {
  return {
    name: 'extractive',
    price: null,
    inputTokensMax: INPUT_TOKENS_MAX,
    outputTokensMax: DEPTH_TOKENS_MAX.detailed,
    revision: REVISION,
    answer: (batch, { signal }) => {
      const items: BatchAnswer['items'][number][] = [];
      for (const item of batch.items) {
        signal.throwIfAborted();
        items.push({ item: item.item, facts: factsOf(item, tokens) });
      }
      const text = JSON.stringify({ items } satisfies BatchAnswer);
      const inputTokens = batch.items
        .flatMap((item) => item.sources)
        .reduce((sum, source) => sum + source.tokens, 0);
      return Promise.resolve({ text, usage: { inputTokens, outputTokens: tokens.count(text) } });
    },
  };
}

function factsOf(item: BatchItem, tokens: TokenCounter): BatchAnswer['items'][number]['facts'] {
  const sources = item.sources.map((source): ExtractSource => {
    const at = new Date(source.at).toISOString();
    const { id, text, speaker } = source;
    return speaker === null ? { id, text, at } : { id, text, at, speaker };
  });
  const facts = extractFacts(sources, {
    countTokens: (text) => tokens.count(text),
    maxTokens: DEPTH_TOKENS_MAX.detailed,
    maxSentenceTokens: DEPTH_TOKENS_MAX.sentence,
  });
  return facts.map(({ text, sources: ids, quote, speaker }) => ({
    text,
    sources: [...ids],
    quote,
    ...(speaker === undefined ? {} : { speaker }),
  }));
}

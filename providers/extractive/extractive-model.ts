/** The extractive summarizer behind the model port: no model, no call, no price. */
import type { AnswerFact, BatchAnswer } from '#core/prompt/parse-answer.ts';
import type { BatchItem, ModelBatch, SummaryModel } from '#core/ports/model.ts';
import type { TokenCounter } from '#core/ports/token-counter.ts';
import { DEPTH_TOKENS_MAX } from '#core/records/summary.ts';
import type { Source } from '#core/sources/source.ts';
import { isoTime } from '#core/said-at.ts';
import { extractFacts, type ExtractedFact, type ExtractSource } from './extract.ts';
import { withLongTurns } from './long-turns.ts';

/** Raised when the same sources may give other facts: part of the recipe. */
const REVISION = '5';
/** It reads what the store holds; batches are packed by this, so that no item starves others. */
const INPUT_TOKENS_MAX = 1_000_000;
/** What it writes costs nothing, so it never parts a batch. */
const OUTPUT_TOKENS_MAX = 1_000_000;

/** Deterministic to the byte: the same sources give the same answer. */
export function createExtractiveModel(tokens: TokenCounter): SummaryModel {
  return {
    name: 'extractive',
    price: null,
    inputTokensMax: INPUT_TOKENS_MAX,
    outputTokensMax: OUTPUT_TOKENS_MAX,
    revision: REVISION,
    bounds: (batch) => ({
      inputTokens: sourceBytes(batch),
      outputTokens: DEPTH_TOKENS_MAX.detailed * batch.items.length,
    }),
    answer: (batch, { signal }) => {
      const items: BatchAnswer['items'][number][] = [];
      for (const item of batch.items) {
        signal.throwIfAborted();
        items.push(answerOf(item, tokens));
      }
      const text = JSON.stringify({ items } satisfies BatchAnswer);
      const inputTokens = batch.items
        .flatMap((item) => item.sources)
        .reduce((sum, source) => sum + source.tokens, 0);
      return Promise.resolve({ text, usage: { inputTokens, outputTokens: tokens.count(text) } });
    },
  };
}

/** Bounds the tokens of the sources from above: no token is shorter than a byte. */
function sourceBytes(batch: ModelBatch): number {
  return batch.items.flatMap((item) => item.sources).reduce((sum, { bytes }) => sum + bytes, 0);
}

function answerOf(item: BatchItem, tokens: TokenCounter): BatchAnswer['items'][number] {
  const facts = extractFacts(
    withLongTurns(item.sources.map((source) => extractSource(item, source))),
    {
      countTokens: (text) => tokens.count(text),
      maxTokens: item.tokensMax,
      maxSentenceTokens: DEPTH_TOKENS_MAX.sentence,
      about: item.audience,
    },
  );
  // Each source of a choice is one fact, so the sources of what would be said are the choice.
  return item.task === 'Select'
    ? { item: item.item, kept: [...new Set(facts.flatMap(({ sources }) => sources))] }
    : { item: item.item, facts: answerFacts(facts) };
}

/** A fact of a segment itself names the speaker. */
function extractSource({ task }: BatchItem, source: Source): ExtractSource {
  const at = isoTime(source);
  const { id, text, speaker } = source;
  return speaker === null || task === 'Select' ? { id, text, at } : { id, text, at, speaker };
}

function answerFacts(facts: readonly ExtractedFact[]): readonly AnswerFact[] {
  return facts.map(({ text, sources: ids, quote, speaker }) => ({
    text,
    sources: [...ids],
    quote,
    ...(speaker === undefined ? {} : { speaker }),
  }));
}

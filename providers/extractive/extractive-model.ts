/** The extractive summarizer behind the model port: no model, no call, no price. */
import type { AnswerFact, BatchAnswer } from '#core/prompt/parse-answer.ts';
import type { BatchItem, ModelBatch, SummaryModel } from '#core/ports/model.ts';
import type { TokenCounter } from '#core/ports/token-counter.ts';
import { DEPTH_TOKENS_MAX } from '#core/records/summary.ts';
import type { Source } from '#core/sources/source.ts';
import { isoTime } from '#core/said-at.ts';
import { extractFacts, type ExtractedFact, type ExtractSource } from './extract-facts.ts';
import { isForwarded } from '#core/extraction/own-words.ts';
import { longTurns } from '#core/sessions/turn-parts.ts';
import { turnKind } from './speaker-turns.ts';

/** Raise this when the same sources may give other facts; it is part of the recipe. */
const REVISION = '9';
/** It has no real limit; batches are packed by this, so that no item starves others. */
const INPUT_TOKENS_MAX = 1_000_000;
/** Its output costs nothing, so it never splits a batch. */
const OUTPUT_TOKENS_MAX = 1_000_000;

/** Returns the extractive model. It is deterministic to the byte for the same sources. */
export function createExtractiveModel(tokens: TokenCounter): SummaryModel {
  return {
    name: 'extractive',
    price: null,
    inputTokensMax: INPUT_TOKENS_MAX,
    outputTokensMax: OUTPUT_TOKENS_MAX,
    revision: REVISION,
    usageMax: (batch) => ({
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
  // Each source of a `Select` item is one fact, so the sources of its facts are the choice.
  return item.task === 'Select'
    ? { item: item.item, kept: [...new Set(facts.flatMap(({ sources }) => sources))] }
    : { item: item.item, facts: answerFacts(facts) };
}

/** Facts of a segment name the speaker in their text. */
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

/** Longest ordinary turn, by kind; for a chat message about 200 words. */
const LETTERS_MAX = {
  Written: Infinity,
  Typed: 1_200,
  // In 35 recorded meetings the longest utterance of 20,000 has 3,700.
  Spoken: 6_000,
} as const;

/**
 * Returns the sources, and marks those of turns that are longer than people speak. A pasted
 * document, log or e-mail is not what its speaker says. A message that passes on what others wrote
 * counts as a long turn.
 */
export function withLongTurns(sources: readonly ExtractSource[]): readonly ExtractSource[] {
  const long = longTurns(
    sources.map(({ id, text, speaker = '' }) => ({
      id,
      text,
      lettersMax: LETTERS_MAX[turnKind(speaker)],
    })),
  );
  return sources.map((source, index) => {
    const longTurn = long[index] ?? (isTypedAndForwarded(source) ? source.id : null);
    return longTurn === null ? source : { ...source, longTurn };
  });
}

function isTypedAndForwarded({ text, speaker = '' }: ExtractSource): boolean {
  return turnKind(speaker) === 'Typed' && isForwarded(text);
}

/** A model that costs no time: its facts are the first sources of each item, word for word. */
import type { BatchAnswer } from '#core/prompt/answer.ts';
import type { BatchItem, ModelBatch, SummaryModel } from '#core/ports/model.ts';

const PRICE = { inputMicroDollarsPerMillion: 150_000, outputMicroDollarsPerMillion: 600_000 };
/** The window that a large scope is to be summarized with. */
const INPUT_TOKENS_MAX = 32_000;
/** Room for as many items as a call may have. */
const OUTPUT_TOKENS_MAX = 64_000;
/** Facts of one item: as many as a detailed text of short statements holds. */
const FACTS_MAX = 20;
const ITEM_TOKENS = 40;

/** For `openParts`. */
export function quickModel(extractive: SummaryModel): SummaryModel {
  return {
    ...extractive,
    name: 'quick',
    revision: 'quick-1',
    price: PRICE,
    inputTokensMax: INPUT_TOKENS_MAX,
    outputTokensMax: OUTPUT_TOKENS_MAX,
    bounds: (batch) => ({ inputTokens: tokensOf(batch), outputTokens: OUTPUT_TOKENS_MAX }),
    answer: (batch) => {
      const answer: BatchAnswer = { items: batch.items.map(answerOf) };
      const usage = {
        inputTokens: tokensOf(batch),
        outputTokens: ITEM_TOKENS * batch.items.length,
      };
      return Promise.resolve({ text: JSON.stringify(answer), usage });
    },
  };
}

function answerOf({ item, task, sources }: BatchItem): BatchAnswer['items'][number] {
  const first = sources.slice(0, FACTS_MAX);
  if (task === 'Select') return { item, kept: first.map(({ id }) => id) };
  return { item, facts: first.map(({ id, text }) => ({ text, sources: [id], quote: text })) };
}

function tokensOf({ items }: ModelBatch): number {
  return items.flatMap(({ sources }) => sources).reduce((sum, { tokens }) => sum + tokens, 0);
}

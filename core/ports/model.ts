/** The model port: one call that answers for every item of a batch. */
import type { Layer } from '../layer.ts';
import type { Depth, Usage } from '../records/summary.ts';
import type { Source } from '../sources/source.ts';
import type { Amount } from '../records/account.ts';

/** One scope to summarize. Items are numbered within the batch, so no scope id reaches a model. */
export interface BatchItem {
  readonly item: string;
  readonly layer: Layer;
  /** Texts that are wanted; for each of several an answer has facts of its own. */
  readonly depths: readonly Depth[];
  /**
   * Extract: make cited facts of the sources. Select: choose and order facts that were made before;
   * each source then is one of them, and its text is never reworded (design 6.16). Remember: as
   * Extract, and say of each fact whether it lasts, and what is known that it ends. Verify: whether
   * the last source, a claim, says only what the others do.
   */
  readonly task: 'Extract' | 'Select' | 'Remember' | 'Verify';
  /** cl100k tokens of facts that are wanted at most, where they are one list. */
  readonly tokensMax: number;
  /** Whom a personalized text is for, in words; null for the general one (design 6.21). */
  readonly audience: string | null;
  /** Why it is asked once more: the facts of the last answer were too long to be shown whole. */
  readonly again?: 'TooLong';
  readonly sources: readonly Source[];
}

export interface ModelBatch {
  readonly items: readonly BatchItem[];
}

export interface ModelAnswer {
  /** JSON text of `BatchAnswer` (core/prompt/parse-answer.ts); nothing in it is trusted. */
  readonly text: string;
  readonly usage: Usage;
}

/** List price in micro-dollars for a million tokens; integers, so that sums are exact. */
export interface Price {
  readonly inputMicroDollarsPerMillion: number;
  readonly outputMicroDollarsPerMillion: number;
}

/** What was said, and what a program wants written of it. */
export interface ConversationQuestion {
  /** In their order. */
  readonly messages: readonly {
    readonly role: string;
    /** Null where a role says enough. */
    readonly speaker: string | null;
    readonly text: string;
  }[];
  /** Of the program, and followed; what is in the messages is not. */
  readonly instruction: string;
  /** Tokens of the text at most. */
  readonly tokensMax: number;
}

/** A model as it writes plain text of a conversation. */
export interface ConversationWriter {
  /** Upper bounds of what one call can use, as `SummaryModel.usageMax`. */
  usageMax(question: ConversationQuestion): Usage;
  /** One call, never retried inside. @throws VarveError as `SummaryModel.answer` */
  write(
    question: ConversationQuestion,
    call: { attemptId: string; signal: AbortSignal },
  ): Promise<ModelAnswer>;
}

export interface SummaryModel {
  readonly name: string;
  /** Null where calls cost nothing and are not counted against a budget. */
  readonly price: Price | null;
  /** Most tokens one call can read and write. */
  readonly inputTokensMax: number;
  readonly outputTokensMax: number;
  /** Changes when the same input may give another output: part of the recipe. */
  readonly revision: string;
  /**
   * What one call for the batch can use: of its input the tokens of the whole prompt, with a margin
   * where the provider has another tokenizer; of its output the maximum that is enforced.
   */
  usageMax(batch: ModelBatch): Usage;
  /**
   * One call, never retried inside.
   * @throws VarveError RATE_LIMITED with `retryAfterMs`, PROVIDER_ERROR, PROVIDER_REJECTED, TIMEOUT
   */
  answer(batch: ModelBatch, call: { attemptId: string; signal: AbortSignal }): Promise<ModelAnswer>;
  /** Absent where nothing but facts can be asked for, as of the summarizer without a model. */
  readonly writer?: ConversationWriter;
}

export interface ConversationText {
  readonly text: string;
  /** Name of the model that wrote it. */
  readonly model: string;
  readonly usage: Usage;
  /** What the budget was charged. */
  readonly cost: Amount;
}

/** Text about conversations, by the models and the budget of a tenant. */
export interface ConversationTexts {
  /** @throws VarveError as activities/summarize-conversation.ts says */
  write(tenant: string, question: ConversationQuestion): Promise<ConversationText>;
}

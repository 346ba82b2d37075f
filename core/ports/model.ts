/** The model port: one call that answers for every item of a batch. */
import type { Layer } from '../layer.ts';
import type { Depth, Usage } from '../records/summary.ts';
import type { Source } from '../sources/source.ts';
import type { Amount } from '../records/account.ts';

/** One scope to summarize. Items are numbered within the batch, so no scope id reaches a model. */
export interface BatchItem {
  readonly item: string;
  readonly layer: Layer;
  /** The depths to write; with several, an answer has separate facts for each. */
  readonly depths: readonly Depth[];
  /**
   * Extract: make cited facts of the sources. Select: choose and order facts that were made before;
   * each source is one of them, and its text is never reworded (design 6.16). Remember: as Extract,
   * and say for each fact whether it lasts and which known facts it ends. Verify: whether the last
   * source, a claim, says only what the others say.
   */
  readonly task: 'Extract' | 'Select' | 'Remember' | 'Verify';
  /** The most cl100k tokens of facts to return, if they are one list. */
  readonly tokensMax: number;
  /** Who reads a personalized text, in words; null for the general one (design 6.21). */
  readonly audience: string | null;
  /** Why the question is asked again: the facts of the last answer were too long to show whole. */
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

/** What was said, and what a program wants written about it. */
export interface ConversationQuestion {
  /** In order. */
  readonly messages: readonly {
    readonly role: string;
    /** Null if the role is enough. */
    readonly speaker: string | null;
    readonly text: string;
  }[];
  /** The program's instruction, which the model follows. It does not follow the messages. */
  readonly instruction: string;
  /** The most tokens of the text. */
  readonly tokensMax: number;
}

/** A model that writes plain text about a conversation. */
export interface ConversationWriter {
  /** Upper bounds of what one call can use, as `SummaryModel.usageMax`. */
  usageMax(question: ConversationQuestion): Usage;
  /** Makes one call and never retries it. @throws VarveError as `SummaryModel.answer` */
  write(
    question: ConversationQuestion,
    call: { attemptId: string; signal: AbortSignal },
  ): Promise<ModelAnswer>;
}

export interface SummaryModel {
  readonly name: string;
  /** Null if calls cost nothing and are not counted against a budget. */
  readonly price: Price | null;
  /** Most tokens one call can read and write. */
  readonly inputTokensMax: number;
  readonly outputTokensMax: number;
  /** Changes when the same input may give another output; part of the recipe. */
  readonly revision: string;
  /**
   * Returns the most that one call for the batch can use. Input: the tokens of the whole prompt,
   * with a margin if the provider has another tokenizer. Output: the enforced maximum.
   */
  usageMax(batch: ModelBatch): Usage;
  /**
   * Makes one call and never retries it.
   * @throws VarveError RATE_LIMITED with `retryAfterMs`, PROVIDER_ERROR, PROVIDER_REJECTED, TIMEOUT
   */
  answer(batch: ModelBatch, call: { attemptId: string; signal: AbortSignal }): Promise<ModelAnswer>;
  /** True if only workers have its key: a call of this process would fail. */
  readonly isKeyElsewhere?: boolean;
  /** Absent if the model only answers with facts, as the summarizer without a model does. */
  readonly writer?: ConversationWriter;
}

export interface ConversationText {
  readonly text: string;
  /** Name of the model that wrote the text. */
  readonly model: string;
  readonly usage: Usage;
  /** What the budget was charged. */
  readonly cost: Amount;
}

/** Writes text about conversations with a tenant's models and budget. */
export interface ConversationTexts {
  /** @throws VarveError as activities/summarize-conversation.ts says */
  write(tenant: string, question: ConversationQuestion): Promise<ConversationText>;
}

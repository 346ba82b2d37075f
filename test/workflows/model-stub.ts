/** Models that wait, count and fail as a test says; their texts are the extractive summarizer's. */
import type { PartsOptions } from '#cli/composition-root.ts';
import type { ModelBatch, SummaryModel } from '#core/ports/model.ts';
import { metered } from './fixture.ts';

export interface StubbedModel {
  readonly model: NonNullable<PartsOptions['model']>;
  /** What each call was asked, the earliest first. */
  readonly calls: readonly ModelBatch[];
}

/** Called before each answer, with the number of calls so far; what it throws, the model throws. */
export type BeforeAnswer = (batch: ModelBatch, call: number) => Promise<void> | void;

/** A model with a price that first does what a test says. */
export function stubbed(before: BeforeAnswer = () => undefined): StubbedModel {
  const calls: ModelBatch[] = [];
  return {
    calls,
    model: (extractive): SummaryModel => ({
      ...metered(extractive),
      answer: async (batch, call) => {
        calls.push(batch);
        await before(batch, calls.length);
        return extractive.answer(batch, call);
      },
    }),
  };
}

/** Whether some source of a batch contains a word: how a stub tells scopes apart. */
export function mentions(batch: ModelBatch, word: string): boolean {
  return batch.items.some((item) => item.sources.some(({ text }) => text.includes(word)));
}

/** A door that calls wait at until the test opens it. */
export function door(): { readonly opened: Promise<void>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  return {
    opened: promise,
    open: () => {
      resolve(undefined);
    },
  };
}

/** A model with a price that answers every question with these facts. */
export function answering(
  facts: readonly unknown[],
  before: BeforeAnswer = () => undefined,
): StubbedModel {
  const calls: ModelBatch[] = [];
  return {
    calls,
    model: (extractive): SummaryModel => ({
      ...metered(extractive),
      answer: async (batch) => {
        calls.push(batch);
        await before(batch, calls.length);
        const items = batch.items.map(({ item }) => ({ item, facts }));
        return { text: JSON.stringify({ items }), usage: { inputTokens: 90, outputTokens: 30 } };
      },
    }),
  };
}

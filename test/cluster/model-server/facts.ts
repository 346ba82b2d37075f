/** The answer of a good model: sentences of the sources, quoted and cited. */
import type { PromptItem, PromptSource } from './read-prompt.ts';

export interface AnswerFact {
  readonly text: string;
  readonly sources: readonly string[];
  readonly quote: string | null;
  readonly speaker: string | null;
}

export interface AnswerItem {
  readonly item: string;
  readonly facts?: readonly AnswerFact[];
  readonly kept?: readonly string[];
}

/** A rough count that needs no tokenizer, for sizes and for usage. */
export const CHARACTERS_PER_TOKEN = 4;

export function faithfulItem(item: PromptItem): AnswerItem {
  const { label, task, tokensMax } = item;
  const sources = withinTokens(item.sources, tokensMax);
  return task === 'Select'
    ? { item: label, kept: sources.map((source) => source.label) }
    : { item: label, facts: sources.map(faithfulFact) };
}

export function faithfulFact({ label, speaker, text }: PromptSource): AnswerFact {
  const sentence = firstSentence(text);
  return { text: sentence, sources: [label], quote: sentence, speaker };
}

/** The first sentence that says something, else the beginning up to the end of a word. */
export function firstSentence(text: string): string {
  const line = text.trim();
  const [sentence] = /^[^]{20,240}?[.!?](?=\s|$)/u.exec(line) ?? [];
  return sentence ?? /^[^]{1,240}(?=\s|$)/u.exec(line)?.[0] ?? line.slice(0, 240);
}

function withinTokens(sources: readonly PromptSource[], tokensMax: number) {
  let left = tokensMax * CHARACTERS_PER_TOKEN;
  return sources.filter(({ text }) => {
    if (text.trim() === '') return false;
    left -= firstSentence(text).length;
    return left >= 0;
  });
}

/** Conversations: facts about what people write to each other, told true or false by hand. */
import { groundFacts } from '#core/grounding/grounding.ts';
import { asSource } from './cases.ts';

/** A line of `conversations.jsonl`. */
export interface Conversation {
  readonly kind: string;
  /** When it was, in milliseconds since the epoch. */
  readonly at: number;
  /** Without a speaker it is a memory. */
  readonly said: readonly { readonly speaker: string | null; readonly text: string }[];
  readonly true: readonly ConversationFact[];
  readonly false: readonly ConversationFact[];
}

export interface ConversationFact {
  readonly text: string;
  /** Places in `said`, from 1. */
  readonly cites: readonly number[];
}

/** Why grounding drops a fact about a conversation, or null. */
export function verdictOn(
  { said, at }: Conversation,
  { text, cites }: ConversationFact,
): string | null {
  const sources = said.map((each, index) => asSource({ id: String(index + 1), at, ...each }));
  const { dropped } = groundFacts(
    [{ text, sources: cites.map(String) }],
    new Map(sources.map((source) => [source.id, source])),
  );
  return dropped[0]?.reason ?? null;
}

/** Finds which messages belong together: a tool call and its results stay or go together. */
import type { ConversationMessage } from './message.ts';

/** Positions of the first and last message of a group; all messages between belong to it. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

type Paired = Pick<ConversationMessage, 'role' | 'toolCalls' | 'toolCallId'>;

/**
 * Returns the groups of a list, in order and without overlap. A result belongs to the latest
 * earlier message with its call id, because some models reuse ids. A call that may still get a
 * result, because no assistant message follows, reaches to the end of the list.
 */
export function toolSpans(messages: readonly Paired[]): readonly Span[] {
  const callers = new Map<string, number>();
  const ends = new Map<number, number>();
  const open = new Map<number, Set<string>>();
  let lastAssistant = -1;
  for (const [at, message] of messages.entries()) {
    if (message.role === 'assistant') lastAssistant = at;
    const ids = message.toolCalls.flatMap(({ id }) => (id === null ? [] : [id]));
    if (ids.length > 0) {
      ends.set(at, at);
      open.set(at, new Set(ids));
      for (const id of ids) callers.set(id, at);
    }
    if (message.toolCallId === null) continue;
    const caller = callers.get(message.toolCallId);
    if (caller === undefined) continue;
    ends.set(caller, at);
    open.get(caller)?.delete(message.toolCallId);
  }
  if ((open.get(lastAssistant)?.size ?? 0) > 0) ends.set(lastAssistant, messages.length - 1);
  return merged([...ends].map(([first, last]) => ({ first, last })));
}

/** Returns for each position whether the list may be cut before that message. */
export function cutPlaces(spans: readonly Span[], length: number): readonly boolean[] {
  const places = Array.from({ length: length + 1 }, () => true);
  for (const { first, last } of spans) places.fill(false, first + 1, last + 1);
  return places;
}

/** Returns the position where the group of the last message begins. */
export function lastGroupAt(spans: readonly Span[], length: number): number {
  const last = spans.at(-1);
  return last !== undefined && last.last === length - 1 ? last.first : length - 1;
}

function merged(spans: readonly Span[]): readonly Span[] {
  const joined: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.first - b.first)) {
    const before = joined.at(-1);
    if (before !== undefined && span.first <= before.last) {
      joined[joined.length - 1] = {
        first: before.first,
        last: Math.max(before.last, span.last),
      };
    } else joined.push(span);
  }
  return joined;
}

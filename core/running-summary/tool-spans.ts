/** Which messages belong together: a call of tools and its results stay or go as one. */
import type { ConversationMessage } from './message.ts';

/** Positions of the first and last message of a group; what lies between goes with it. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

type Paired = Pick<ConversationMessage, 'role' | 'toolCalls' | 'toolCallId'>;

/**
 * The groups of a list, in order and not overlapping. A result belongs to the latest message before
 * it that made its call, since some models use the same ids again. A call that may still be
 * answered, because no later message of the assistant followed, reaches to the end of the list.
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

/** For each position of a list whether it may be cut before the message there. */
export function cutPlaces(spans: readonly Span[], length: number): readonly boolean[] {
  const places = Array.from({ length: length + 1 }, () => true);
  for (const { first, last } of spans) places.fill(false, first + 1, last + 1);
  return places;
}

/** The position where the group of the last message begins. */
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

/**
 * The running summary of a conversation, and the part of a list that it covers. Its names are in
 * snake_case and its ids are an array, so that a Python graph reads the same state, and so that
 * JSON preserves it.
 */
import { VarveError } from '../errors.ts';
import type { Digest } from '../hash.ts';
import { textOf, type ConversationMessage } from './message.ts';

export interface RunningSummary {
  readonly summary: string;
  /** Every summarized message, over all rounds, in the order of summarizing. */
  readonly summarized_message_ids: string[];
  readonly last_summarized_message_id: string | null;
}

export type Identified = ConversationMessage & { readonly id: string };

export interface Window {
  /** Positions of the system messages that callers wrote. */
  readonly system: readonly number[];
  /** Positions of messages that are not summarized yet. */
  readonly live: readonly number[];
}

/**
 * Reads a running summary from state: of this library, of Python, or of a checkpoint, where a set
 * of ids may have become an array or an empty object.
 * @throws VarveError INVALID_INPUT for anything else
 */
export function readRunningSummary(value: unknown): RunningSummary | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'object' && 'summary' in value && typeof value.summary === 'string') {
    const given = 'summarized_message_ids' in value ? value.summarized_message_ids : [];
    const ids = idsOf(given);
    const last =
      'last_summarized_message_id' in value
        ? value.last_summarized_message_id
        : (ids?.at(-1) ?? null);
    if (ids !== null && (last === null || last === undefined || typeof last === 'string')) {
      return {
        summary: value.summary,
        summarized_message_ids: ids,
        last_summarized_message_id: last ?? null,
      };
    }
  }
  throw new VarveError(
    'INVALID_INPUT',
    'The state has no valid running summary. Expected { summary, summarized_message_ids, ' +
      'last_summarized_message_id }; pass what an earlier call returned, or null.',
  );
}

/** Returns the running summary after one more round. */
export function extended(
  running: RunningSummary | null,
  summary: string,
  ids: readonly string[],
): RunningSummary {
  return {
    summary,
    summarized_message_ids: [...(running?.summarized_message_ids ?? []), ...ids],
    last_summarized_message_id: ids.at(-1) ?? running?.last_summarized_message_id ?? null,
  };
}

/**
 * Gives an id to each message without one: a digest of its content and of everything said before
 * it, so that the same history has the same ids in the next round. System messages don't count,
 * because callers write them again each time.
 */
export function withIds(
  messages: readonly ConversationMessage[],
  digest: Digest,
): readonly Identified[] {
  let said = '';
  return messages.map((message) => {
    if (message.role === 'system' && !message.isSummary)
      return { ...message, id: message.id ?? '' };
    const { role, content, toolCalls, toolCallId } = message;
    const own = message.id ?? JSON.stringify([role, content, toolCalls, toolCallId]);
    said = digest(`${said}\n${own}`);
    return { ...message, id: message.id ?? `said-${said.slice(0, 32)}` };
  });
}

/**
 * Returns which messages of a list are still to be summarized.
 *
 * A message before the last summarized one is kept if its id was not summarized, so that its
 * position loses nothing. If the last summarized message is gone, as after each round that rewrites
 * the list, the summarized messages at the start of the list are skipped.
 * @throws VarveError INVALID_INPUT if an id appears twice, or again after it was summarized
 */
export function windowOf(messages: readonly Identified[], running: RunningSummary | null): Window {
  const known = new Set(running?.summarized_message_ids);
  const spoken = messages.flatMap((message, at) =>
    message.role === 'system' || message.isSummary ? [] : [at],
  );
  const idAt = (at: number): string => messages[at]?.id ?? '';
  const covered = coveredUntil(spoken.map(idAt), {
    known,
    last: running?.last_summarized_message_id,
  });
  // If JSON has emptied the set of ids, only the last id is known.
  const isLeft = (at: number): boolean => known.size > 0 && !known.has(idAt(at));
  const live = spoken.filter((at, place) => place >= covered || isLeft(at));
  const seen = new Set<string>();
  for (const at of live) {
    const id = idAt(at);
    if (known.has(id)) throw again(id, 'has already been summarized');
    if (seen.has(id)) throw again(id, 'is in the list twice');
    seen.add(id);
  }
  return { live, system: systemOf(messages, running) };
}

/** Returns how many messages, without system messages, the running summary covers. */
function coveredUntil(
  ids: readonly string[],
  { known, last }: { known: ReadonlySet<string>; last: string | null | undefined },
): number {
  const at = last === null || last === undefined ? -1 : ids.indexOf(last);
  if (at >= 0) return at + 1;
  const first = ids.findIndex((id) => !known.has(id));
  return first < 0 ? ids.length : first;
}

/** A summary that Python wrote into the list has no mark, so it is recognized by its text. */
function systemOf(
  messages: readonly ConversationMessage[],
  running: RunningSummary | null,
): readonly number[] {
  const isOld = (message: ConversationMessage): boolean => {
    if (message.isSummary) return true;
    const summary = running?.summary.trim() ?? '';
    if (summary === '') return false;
    const text = textOf(message.content).trim();
    return text === summary || text === `${PYTHON_PREFIX}${summary}`;
  };
  return messages.flatMap((message, at) =>
    message.role === 'system' && !isOld(message) ? [at] : [],
  );
}

/** The start of a summary's message in the default prompt of both sides. */
export const PYTHON_PREFIX = 'Summary of the conversation so far: ';

function idsOf(value: unknown): string[] | null {
  if (value === null || value === undefined) return [];
  const list = Array.isArray(value) || value instanceof Set ? [...value] : null;
  if (list !== null) return list.every((id) => typeof id === 'string') ? list : null;
  // JSON turns a set into an empty object.
  return typeof value === 'object' && Object.keys(value).length === 0 ? [] : null;
}

function again(id: string, problem: string): VarveError {
  return new VarveError(
    'INVALID_INPUT',
    `The message with the id "${id.slice(0, 80)}" ${problem}. ` +
      'Give each message an id of its own; an edited message needs a new one.',
    { details: { id: id.slice(0, 80) } },
  );
}

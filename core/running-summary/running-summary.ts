/**
 * The running summary of a conversation and the part of a list that it covers. Its names are in
 * snake_case and its ids an array, so that a graph in Python reads the same state, and so that JSON
 * keeps it whole.
 */
import { VarveError } from '../errors.ts';
import type { Digest } from '../hash.ts';
import { textOf, type ConversationMessage } from './message.ts';

export interface RunningSummary {
  readonly summary: string;
  /** Every message that went into it, over all rounds, in the order they went. */
  readonly summarized_message_ids: string[];
  readonly last_summarized_message_id: string | null;
}

export type Identified = ConversationMessage & { readonly id: string };

export interface Window {
  /** Positions in the list of the system messages that callers wrote. */
  readonly system: readonly number[];
  /** Positions of what is not summarized yet. */
  readonly live: readonly number[];
}

/**
 * Reads a running summary out of state: from this side, from Python, or from a checkpoint, where a
 * set of ids may have become an array or an empty object.
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
    'The running summary in the state is not one. Expected { summary, summarized_message_ids, ' +
      'last_summarized_message_id }; pass what an earlier call returned, or null.',
  );
}

/** The running summary after one more round. */
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
 * Gives an id to each message that has none: a digest of what it says and of all that was said
 * before it, so that the same history has the same ids in the next round. System messages don't
 * count, since callers write them again each time.
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
 * Which messages of a list are still to be summarized.
 *
 * Up to the last summarized message, what is not among the summarized ids stays: nothing is lost by
 * its place. Where that message is gone, as after each round that rewrites the list, the summarized
 * head of the list is passed over.
 * @throws VarveError INVALID_INPUT where an id stands twice, or again after it was summarized
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
  // A set of ids that JSON has emptied leaves only the last one to go by.
  const isLeft = (at: number): boolean => known.size > 0 && !known.has(idAt(at));
  const live = spoken.filter((at, place) => place >= covered || isLeft(at));
  const seen = new Set<string>();
  for (const at of live) {
    const id = idAt(at);
    if (known.has(id)) throw again(id, 'has already been summarized');
    if (seen.has(id)) throw again(id, 'stands in the list twice');
    seen.add(id);
  }
  return { live, system: systemOf(messages, running) };
}

/** How many spoken messages the running summary reaches over. */
function coveredUntil(
  ids: readonly string[],
  { known, last }: { known: ReadonlySet<string>; last: string | null | undefined },
): number {
  const at = last === null || last === undefined ? -1 : ids.indexOf(last);
  if (at >= 0) return at + 1;
  const first = ids.findIndex((id) => !known.has(id));
  return first < 0 ? ids.length : first;
}

/** A summary that Python wrote into the list has no mark; its text gives it away. */
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

/** How the default prompt of both sides begins the message of a summary. */
export const PYTHON_PREFIX = 'Summary of the conversation so far: ';

function idsOf(value: unknown): string[] | null {
  if (value === null || value === undefined) return [];
  const list = Array.isArray(value) || value instanceof Set ? [...value] : null;
  if (list !== null) return list.every((id) => typeof id === 'string') ? list : null;
  // What JSON makes of a set.
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

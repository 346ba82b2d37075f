/**
 * Decides which messages a summary replaces, oldest first. System messages, the newest user message
 * and the group of the last message always stay. A tool call and its results stay or go together.
 */
import type { VarveError } from '../errors.ts';
import type { ConversationMessage } from './message.ts';
import { partTooLarge, type TokenLimits } from './token-limits.ts';
import { cutPlaces, lastGroupAt, toolSpans, type Span } from './tool-spans.ts';

interface PlanInput {
  /** Messages that are not summarized yet, without system messages. */
  readonly messages: readonly ConversationMessage[];
  /** Tokens of each message. */
  readonly tokens: readonly number[];
  readonly systemTokens: number;
  /** Tokens of the message with the current running summary; 0 if there is none. */
  readonly summaryTokens: number;
  /**
   * The most tokens of one call to the summarizing model. Fewer messages go if that saves a call.
   */
  readonly callTokens: number;
  readonly limits: TokenLimits;
}

export interface SummaryPlan {
  /** Positions of the messages to remove, in order. */
  readonly evicted: readonly number[];
  readonly kept: readonly number[];
  /** The most tokens of the summary's message if the list must fit. */
  readonly room: number;
}

interface Cut {
  /** Everything before this position goes, except for the newest user message. */
  readonly end: number;
  readonly evictedTokens: number;
  readonly left: number;
}

/**
 * Returns which messages go, or null if none must go.
 *
 * Guarantees: no tool span is split. The kept messages and the system messages have at most
 * `maxTokens - maxSummaryTokens` tokens, if the parts that must stay allow it.
 * @throws VarveError CONTEXT_LIMIT_TOO_SMALL, naming the part, if those parts don't fit `maxTokens`
 */
export function planSummary(input: PlanInput): SummaryPlan | null {
  const { messages, tokens, systemTokens, summaryTokens, limits } = input;
  if (messages.length === 0) return null;
  const total = sum(tokens);
  const over = systemTokens + summaryTokens + total > limits.maxTokens;
  if (total <= limits.maxTokensBeforeSummary && !over) return null;
  const spans = toolSpans(messages);
  const newestUser = messages.findLastIndex(({ role }) => role === 'user');
  const cuts = cutsOf(input, { spans, newestUser, total });
  const budget = limits.maxTokens - limits.maxSummaryTokens - systemTokens;
  const cut = chosen(cuts, { budget, total, input }) ?? (over ? lastOf(cuts) : null);
  if (cut === null) {
    // If nothing may go, the existing summary can still be shown shorter.
    if (systemTokens + total < limits.maxTokens) return null;
    throw tooSmall(input, { newestUser, required: systemTokens + total });
  }
  const room = limits.maxTokens - systemTokens - cut.left;
  if (room <= 0) throw tooSmall(input, { newestUser, required: systemTokens + cut.left });
  const goes = (at: number): boolean => at < cut.end && at !== newestUser;
  const evicted: number[] = [];
  const kept: number[] = [];
  for (const at of messages.keys()) (goes(at) ? evicted : kept).push(at);
  return { evicted, kept, room };
}

interface Cuts {
  /** Cuts before the newest user message. */
  readonly before: readonly Cut[];
  /** Cuts after it: they remove later messages of the assistant, while the user message stays. */
  readonly beyond: readonly Cut[];
}

function cutsOf(
  { messages, tokens }: PlanInput,
  around: { spans: readonly Span[]; newestUser: number; total: number },
): Cuts {
  const before: Cut[] = [];
  const beyond: Cut[] = [];
  const last = lastGroupAt(around.spans, messages.length);
  const places = cutPlaces(around.spans, messages.length);
  let evictedTokens = 0;
  for (let at = 1; at <= last; at += 1) {
    if (at - 1 === around.newestUser) continue;
    evictedTokens += tokens[at - 1] ?? 0;
    if (places[at] !== true) continue;
    const cut = { end: at, evictedTokens, left: around.total - evictedTokens };
    (around.newestUser >= 0 && at > around.newestUser ? beyond : before).push(cut);
  }
  return { before, beyond };
}

/**
 * Returns the shortest cut that removes what triggered the summary and leaves a list that fits. If
 * `maxTokens` triggered it, the cut leaves half of the room free, so that the next message does not
 * trigger another one.
 */
function chosen(
  { before, beyond }: Cuts,
  { budget, total, input }: { budget: number; total: number; input: PlanInput },
): Cut | null {
  const { maxTokensBeforeSummary } = input.limits;
  const wanted =
    total > maxTokensBeforeSummary ? maxTokensBeforeSummary : total - Math.floor(budget / 2);
  const fits = ({ left }: Cut): boolean => left <= budget;
  const cut =
    before.find((each) => each.evictedTokens >= wanted && fits(each)) ??
    before.findLast(fits) ??
    beyond.find((each) => each.left <= Math.floor(budget / 2)) ??
    beyond.findLast(fits) ??
    null;
  if (cut === null || cut.evictedTokens <= input.callTokens) return cut;
  return before.findLast((each) => each.evictedTokens <= input.callTokens && fits(each)) ?? cut;
}

function lastOf({ before, beyond }: Cuts): Cut | null {
  return beyond.at(-1) ?? before.at(-1) ?? null;
}

/** Names the first part that exceeds the limit; parts that can never go come first. */
function tooSmall(
  { tokens, systemTokens, limits }: PlanInput,
  found: { newestUser: number; required: number },
): VarveError {
  const user = found.newestUser < 0 ? 0 : (tokens[found.newestUser] ?? 0);
  const limit = limits.maxTokens;
  let part = 'last messages';
  if (systemTokens >= limit) part = 'system messages';
  else if (systemTokens + user >= limit) part = 'newest user message';
  return partTooLarge(part, { required: found.required, limit });
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

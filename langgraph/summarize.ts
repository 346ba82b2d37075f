/**
 * One round of summarizing a conversation: decides with `core/running-summary`, asks the model,
 * checks what is left, then calls the hook. Keeps nothing between calls, so one set of settings
 * serves any number of threads at once.
 */
import { HumanMessage, SystemMessage, type BaseMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import { planSummary, type SummaryPlan } from '#core/running-summary/messages-to-summarize.ts';
import { partTooLarge } from '#core/running-summary/token-limits.ts';
import { endsOf } from '#core/running-summary/cut-to-window.ts';
import { fillTemplate, summaryIn } from '#core/running-summary/running-summary-prompts.ts';
import {
  extended,
  readRunningSummary,
  windowOf,
  withIds,
  type Identified,
  type RunningSummary,
  type Window,
} from '#core/running-summary/running-summary.ts';
import { VarveError } from '#core/errors.ts';
import { answerText, identified, summaryMessage, viewOf } from './messages.ts';
import {
  sha256,
  type Settings,
  settingsOf,
  type SummarizationOptions,
} from './summarization-options.ts';
import { codeOfFailure, loggedReason } from './code-of-failure.ts';
import { portionsOf } from './message-portions.ts';
import { threadOf } from './thread-of-call.ts';

interface SummarizationResult {
  /** System messages, the summary if there is one, and what was not summarized. */
  readonly messages: BaseMessage[];
  readonly runningSummary: RunningSummary | null;
  /** The messages that this call summarized; empty if none had to be. */
  readonly summarizedMessages: readonly BaseMessage[];
}

/** The list of one call, read once. */
interface Reading {
  readonly messages: readonly BaseMessage[];
  readonly identified: readonly Identified[];
  readonly running: RunningSummary | null;
  readonly window: Window;
}

/** Tags keep the model's words out of a stream of messages; the source says what they are. */
const MODEL_TAGS = ['nostream', 'langsmith:nostream'];
const MODEL_SOURCE = { lc_source: 'summarization' };

/**
 * Runs one round. If it throws, nothing has changed.
 * @throws VarveError INVALID_INPUT for messages that cannot be distinguished;
 * CONTEXT_LIMIT_TOO_SMALL naming the part that does not fit; PROVIDER_ERROR or MODEL_OUTPUT_INVALID
 * if no summary was made and the list does not fit without one
 */
export async function summarizeRound(
  messages: readonly BaseMessage[],
  runningSummary: unknown,
  { settings, config }: { settings: Settings; config?: RunnableConfig | undefined },
): Promise<SummarizationResult> {
  const read = readMessages(messages, runningSummary, settings);
  const { live, system } = read.window;
  const isSpoken = read.identified.some(({ role, isSummary }) => role !== 'system' && !isSummary);
  if (!isSpoken) {
    return { messages: [...read.messages], runningSummary: read.running, summarizedMessages: [] };
  }
  const tokens = await Promise.all(
    live.map((at) => settings.count(read.messages.slice(at, at + 1))),
  );
  const systemMessages = system.flatMap((at) => read.messages[at] ?? []);
  const summaryTokens = read.running === null ? 0 : await bare(read.running.summary, settings);
  const { limits, oversize } = settings;
  const plan = planSummary({
    messages: live.flatMap((at) => read.identified[at] ?? []),
    tokens,
    systemTokens: systemMessages.length === 0 ? 0 : await settings.count(systemMessages),
    summaryTokens,
    callTokens: oversize === 'trim' ? Infinity : Math.max(1, limits.maxTokens - summaryTokens),
    limits,
  });
  if (plan === null) return { ...(await viewed(read, live, settings)), summarizedMessages: [] };
  try {
    return await replaced(read, plan, { settings, config, tokens });
  } catch (error) {
    return await withoutSummary(read, error, { settings, config });
  }
}

/** Returns what the agent's model reads, without a model call. */
export async function viewWindow(
  messages: readonly BaseMessage[],
  runningSummary: unknown,
  settings: Settings,
): Promise<{ readonly messages: BaseMessage[]; readonly runningSummary: RunningSummary | null }> {
  const read = readMessages(messages, runningSummary, settings);
  return viewed(read, read.window.live, settings);
}

function readMessages(
  given: readonly BaseMessage[],
  runningSummary: unknown,
  settings: Settings,
): Reading {
  requireMessages(given);
  // The input may be what a node returned, including its markers.
  const messages = given.filter(({ type }) => type !== 'remove');
  const views = messages.map(viewOf);
  const running = readRunningSummary(runningSummary) ?? recovered(messages, settings.finalPrompt);
  if (settings.oversize === 'trim') {
    const nameless = views.findIndex(({ id, role }) => id === null && role !== 'system');
    if (nameless >= 0) throw withoutId(nameless);
  }
  const all = withIds(views, sha256);
  return { messages, identified: all, running, window: windowOf(all, running) };
}

/** Recovers the running summary from the list, for a graph whose state has no place for it. */
function recovered(messages: readonly BaseMessage[], finalPrompt: string): RunningSummary | null {
  const summary = messages.findLast((message) => viewOf(message).isSummary);
  if (summary === undefined) return null;
  return extended(null, summaryIn(answerText(summary), finalPrompt), []);
}

async function replaced(
  read: Reading,
  plan: SummaryPlan,
  call: { settings: Settings; config: RunnableConfig | undefined; tokens: readonly number[] },
): Promise<SummarizationResult> {
  const { settings, config } = call;
  const { live } = read.window;
  const places = plan.evicted.flatMap((at) => live[at] ?? []);
  const ids = places.flatMap((at) => read.identified[at]?.id ?? []);
  const evicted = places.flatMap((at) => named(read, at));
  const tokens = plan.evicted.map((at) => call.tokens[at] ?? 0);
  const text = await summaryOf(evicted, tokens, { read, plan, settings, config });
  const next = extended(read.running, text, ids);
  const kept = plan.kept.flatMap((at) => live[at] ?? []);
  const result = await viewed({ ...read, running: next }, kept, settings);
  settings.flushes.begin({
    id: sha256(JSON.stringify([threadOf(config), ids])),
    threadId: threadOf(config),
    messages: evicted,
    preservedMessages: kept.flatMap((at) => named(read, at)),
    runningSummary: next,
    configurable: { ...config?.configurable },
  });
  return { ...result, summarizedMessages: evicted };
}

/** Returns the new summary, built over as many calls as the messages need. */
async function summaryOf(
  evicted: readonly BaseMessage[],
  tokens: readonly number[],
  {
    read,
    plan,
    settings,
    config,
  }: {
    read: Reading;
    plan: SummaryPlan;
    settings: Settings;
    config: RunnableConfig | undefined;
  },
): Promise<string> {
  const { maxTokens, maxSummaryTokens } = settings.limits;
  const existing = read.running === null ? 0 : await bare(read.running.summary, settings);
  const sizes = {
    first: Math.max(1, maxTokens - existing),
    later: Math.max(1, maxTokens - maxSummaryTokens),
  };
  const limit = maxSummaryTokens === 0 ? plan.room : Math.min(maxSummaryTokens, plan.room);
  let summary = read.running?.summary ?? null;
  for (const portion of await portionsOf(evicted, tokens, { settings, sizes })) {
    const whole = await asked(portion, summary, { settings, config });
    summary = await cutToFit(whole, (text) => bare(text, settings), limit);
    if (summary.length < whole.length) {
      settings.log.warn({ limit, counter: settings.counterName }, 'summary was cut to its limit');
    }
  }
  return summary ?? '';
}

async function asked(
  portion: readonly BaseMessage[],
  existing: string | null,
  { settings, config }: { settings: Settings; config: RunnableConfig | undefined },
): Promise<string> {
  const prompt =
    existing === null
      ? fillTemplate(settings.initialSummaryPrompt, {})
      : fillTemplate(settings.existingSummaryPrompt, { existing_summary: existing });
  config?.signal?.throwIfAborted();
  const answering = settings.model.invoke([...portion, new HumanMessage(prompt)], {
    ...config,
    tags: [...(config?.tags ?? []), ...MODEL_TAGS],
    metadata: { ...config?.metadata, ...MODEL_SOURCE },
  });
  const answer = await untilAborted(answering, config?.signal);
  const text = answerText(answer);
  if (text !== '') return text;
  throw new VarveError(
    'MODEL_OUTPUT_INVALID',
    'The summarizing model answered without text. Nothing was changed; it is asked again when ' +
      'the conversation is read next.',
  );
}

/** Waits for an answer until the signal ends the call, also if the model does not read it. */
async function untilAborted<T>(answering: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return answering;
  let end = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    end = () => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', end, { once: true });
  });
  try {
    return await Promise.race([answering, aborted]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Continues without a summary: the conversation stays as it was, if it fits. */
async function withoutSummary(
  read: Reading,
  error: unknown,
  { settings, config }: { settings: Settings; config: RunnableConfig | undefined },
): Promise<SummarizationResult> {
  if (config?.signal?.aborted === true) throw error;
  const { live, system } = read.window;
  const { maxTokens } = settings.limits;
  const parts = [...system, ...live].flatMap((at) => read.messages[at] ?? []);
  const summary = read.running === null ? 0 : await bare(read.running.summary, settings);
  const own = codeOfFailure(error);
  if ((await settings.count(parts)) + summary <= maxTokens) {
    settings.log.warn(
      { reason: loggedReason(error) },
      'no summary was made; the conversation stays as it is',
    );
    return { ...(await viewed(read, live, settings)), summarizedMessages: [] };
  }
  if (own !== null) throw error;
  throw new VarveError(
    'PROVIDER_ERROR',
    `The summarizing model failed, and the messages do not fit ${String(maxTokens)} tokens ` +
      'without a summary. Nothing was changed; call again, or look at the cause.',
    { cause: error },
  );
}

/** Returns the list with its summary, counted. A summary that does not fit is shortened first. */
async function viewed(
  read: Reading,
  kept: readonly number[],
  settings: Settings,
): Promise<Pick<SummarizationResult, 'messages' | 'runningSummary'>> {
  const { running, window } = read;
  if (running === null) return { messages: [...read.messages], runningSummary: null };
  const places = [...window.system, ...kept].toSorted((a, b) => a - b);
  const first = kept[0] ?? Number.MAX_SAFE_INTEGER;
  const take = (isTaken: (at: number) => boolean): BaseMessage[] =>
    places.filter(isTaken).flatMap((at) => named(read, at));
  const head = take((at) => at < first);
  const tail = take((at) => at >= first);
  const { maxTokens } = settings.limits;
  const withSummary = (text: string): Promise<number> =>
    settings.count([...head, new SystemMessage(text), ...tail]);
  const whole = fillTemplate(settings.finalPrompt, { summary: running.summary });
  // The words around a summary are dropped before any part of the summary.
  const bareSummary = (await withSummary(whole)) <= maxTokens ? whole : running.summary;
  const shown = await cutToFit(bareSummary, withSummary, maxTokens);
  const required = await withSummary(shown);
  if (required > maxTokens) throw partTooLarge('summary', { required, limit: maxTokens });
  const measured = { counter: settings.counterName, tokens: await bare(shown, settings) };
  return { messages: [...head, summaryMessage(shown, measured), ...tail], runningSummary: running };
}

/** Returns the message at a place, with the id used for it. */
function named({ messages, identified: all }: Reading, at: number): readonly BaseMessage[] {
  const message = messages[at];
  const id = all[at]?.id ?? '';
  if (message === undefined) return [];
  return [id === '' ? message : identified(message, id)];
}

/** Returns the tokens of a summary as a message, without the words around it. */
function bare(summary: string, { count }: Settings): Promise<number> {
  return count([new SystemMessage(summary)]);
}

function requireMessages(given: unknown): void {
  const at = Array.isArray(given) ? given.findIndex((each) => !isMessage(each)) : -1;
  if (Array.isArray(given) && at === -1) return;
  const found = at === -1 ? 'The input is no list' : `messages[${String(at)}] is no message`;
  throw new VarveError(
    'INVALID_INPUT',
    `${found}. Expected messages of LangChain, each with a content.`,
    at === -1 ? {} : { details: { position: at } },
  );
}

function isMessage(given: unknown): boolean {
  const { content } = Object(given) as { readonly content?: unknown };
  return typeof content === 'string' || Array.isArray(content);
}

function withoutId(at: number): VarveError {
  return new VarveError(
    'INVALID_INPUT',
    `Messages are required to have ID field with oversize: 'trim'; the one at position ` +
      `${String(at)} has none. Give it one, or set oversize: 'chunk'.`,
    { details: { position: at } },
  );
}

/**
 * Returns the longest start of a text that fits and ends with a sentence, or else with a word.
 * Returns the whole text if none does: a counter of messages may not see its length.
 */
async function cutToFit(
  text: string,
  count: (text: string) => Promise<number>,
  limit: number,
): Promise<string> {
  if ((await count(text)) <= limit) return text;
  const { sentences, words } = endsOf(text);
  for (const ends of [sentences, words]) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const fits = (await count(text.slice(0, ends[middle]).trim())) <= limit;
      if (fits) low = middle + 1;
      else high = middle;
    }
    const head = text.slice(0, ends[low - 1] ?? 0).trim();
    if (head !== '') return head;
  }
  return text;
}

/** Options for summarizing a list of messages outside a graph. */
export interface SummarizeMessagesOptions extends SummarizationOptions {
  /** What the previous call returned; null or absent for a new conversation. */
  readonly runningSummary?: RunningSummary | null;
  /** The configuration of the call: thread, signal, callbacks. */
  readonly config?: RunnableConfig;
}

export interface SummarizeMessagesResult extends SummarizationResult {
  /** Resolves when the flush hook of this call has ended, successfully or not. */
  settled(): Promise<void>;
}

/**
 * Replaces the oldest messages by a running summary once they count more than the limit, so that
 * what is left fits `maxTokens`. Pass the running summary that the previous call returned with the
 * whole conversation, or with that call's messages and what was said since.
 *
 * Guarantees: tool calls stay with their results; system messages and the newest user message stay;
 * nothing changes if no summary was made; the returned list was counted and fits.
 * @throws VarveError INVALID_INPUT, CONTEXT_LIMIT_TOO_SMALL naming the part that is too large,
 * CONTENT_TOO_LONG, PROVIDER_ERROR, MODEL_OUTPUT_INVALID
 */
export async function summarizeMessages(
  messages: readonly BaseMessage[],
  options: SummarizeMessagesOptions,
): Promise<SummarizeMessagesResult> {
  const settings = settingsOf(options, ['runningSummary', 'config']);
  const { config } = options;
  const result = await summarizeRound(messages, options.runningSummary, { settings, config });
  return { ...result, settled: () => settings.flushes.settled() };
}

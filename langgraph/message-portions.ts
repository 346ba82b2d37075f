/** What each call gives the summarizing model. */
import type { BaseMessage } from '@langchain/core/messages';
import { textOf } from '#core/running-summary/message.ts';
import { sum } from '#core/running-summary/messages-to-summarize.ts';
import { newestWithin, splitInto, groupToolMessages } from '#core/running-summary/cut-to-window.ts';
import { VarveError } from '#core/errors.ts';
import { chunkOf, sendable, viewOf } from './messages.ts';
import type { Settings } from './summarization-options.ts';

/** Maximum tokens to give to one call: less in later calls, which also carry the summary. */
interface CallSizes {
  readonly first: number;
  readonly later: number;
}

interface Item {
  readonly messages: readonly BaseMessage[];
  readonly tokens: number;
}

/** Maximum calls of one round; at 4,000 tokens each, that is a million. */
const CALLS_MAX = 256;
/** How often a text is cut into smaller chunks because some still have too many tokens. */
const FINER_MAX = 6;
/** Maximum chunks of one text. */
const CHUNKS_MAX = 4_096;

/** Returns one portion per call: all of them with `chunk`, one with `trim`. */
export async function portionsOf(
  evicted: readonly BaseMessage[],
  tokens: readonly number[],
  { settings, sizes }: { settings: Settings; sizes: CallSizes },
): Promise<readonly (readonly BaseMessage[])[]> {
  if (settings.oversize === 'trim') {
    if (sum(tokens) <= sizes.first) return [sent(evicted)];
    const newest = newestWithin(evicted.map(viewOf), tokens, sizes.first);
    if (newest.length > 0) return [sent(newest.flatMap((at) => evicted[at] ?? []))];
  }
  const items = await itemsOf(evicted, settings, Math.min(sizes.first, sizes.later));
  const portions = packed(items, sizes);
  if (portions.length > CALLS_MAX) throw tooMuch(portions.length, sizes.later);
  return settings.oversize === 'trim' ? portions.slice(-1) : portions;
}

/** Drops messages without text, which mean nothing to a model, and which some models refuse. */
function sent(messages: readonly BaseMessage[]): readonly BaseMessage[] {
  const all = messages.map(sendable);
  const spoken = all.filter(({ content }) => content !== '');
  return spoken.length > 0 ? spoken : all;
}

async function itemsOf(
  evicted: readonly BaseMessage[],
  settings: Settings,
  size: number,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (const { at } of groupToolMessages(evicted.map(viewOf), [])) {
    // Tool groups are plain text here, so one that is too large can be split.
    const group = sent(at.flatMap((place) => evicted[place] ?? []));
    const tokens = await settings.count([...group]);
    if (tokens <= size) items.push({ messages: group, tokens });
    else {
      for (const message of group) items.push(...(await parted(message, settings, size)));
    }
  }
  return items;
}

/** Splits a message into chunks that fit; keeps it whole if the counter does not see its text. */
async function parted(
  message: BaseMessage,
  { count }: Settings,
  size: number,
): Promise<readonly Item[]> {
  const tokens = await count([message]);
  const whole = [{ messages: [message], tokens }];
  if (tokens <= size) return whole;
  const text = textOf(viewOf(message).content);
  let chunkCount = Math.ceil(tokens / size) + 1;
  for (let round = 0; round < FINER_MAX && chunkCount <= CHUNKS_MAX; round += 1) {
    const chunks = splitInto(text, chunkCount);
    const items: Item[] = [];
    for (const [index, chunk] of chunks.entries()) {
      const part = chunkOf(message, chunk, { part: index + 1, of: chunks.length });
      items.push({ messages: [part], tokens: await count([part]) });
    }
    const largest = Math.max(...items.map((item) => item.tokens));
    if (largest <= size) return items;
    if (largest >= tokens) return whole;
    chunkCount *= 2;
  }
  return whole;
}

function packed(items: readonly Item[], sizes: CallSizes): readonly (readonly BaseMessage[])[] {
  const portions: BaseMessage[][] = [];
  let left = 0;
  for (const { messages, tokens } of items) {
    const last = portions.at(-1);
    if (last !== undefined && tokens <= left) {
      last.push(...messages);
      left -= tokens;
    } else {
      left = (portions.length === 0 ? sizes.first : sizes.later) - tokens;
      portions.push([...messages]);
    }
  }
  return portions;
}

function tooMuch(calls: number, size: number): VarveError {
  return new VarveError(
    'CONTENT_TOO_LONG',
    `To summarize this takes ${String(calls)} calls of ${String(size)} tokens; ` +
      `${String(CALLS_MAX)} is the limit of one round. Raise maxTokens, or set oversize: 'trim'.`,
    { details: { calls, maximum: CALLS_MAX } },
  );
}

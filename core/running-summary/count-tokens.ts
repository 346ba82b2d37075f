/**
 * Counts messages as LangChain's Python function `count_tokens_approximately` does, so that a limit
 * means the same on both sides of a shared graph: characters / 4, rounded up for each message, plus
 * 3 for its frame; an image is 85. The count of a list is the sum over its messages.
 */
import { isImage, type ContentBlock, type ConversationMessage } from './message.ts';

const CHARACTERS_PER_TOKEN = 4;
const TOKENS_PER_MESSAGE = 3;
const TOKENS_PER_IMAGE = 85;
/** Values nested deeper than this count as one character: no provider sends any. */
const DEPTH_MAX = 64;

/** Returns the approximate tokens of one message. */
export function approximateTokens(message: ConversationMessage): number {
  const { content } = message;
  let characters = message.role.length + codePoints(message.name ?? '');
  let images = 0;
  if (typeof content === 'string') characters += codePoints(content);
  else {
    for (const block of content) {
      if (isImage(block)) images += 1;
      else characters += blockCharacters(block);
    }
  }
  if (message.toolCalls.length > 0 && !carriesCalls(content)) {
    characters += codePoints(printed(message.toolCalls.map(asPython), 0));
  }
  if (message.toolCallId !== null) characters += codePoints(message.toolCallId);
  return (
    Math.ceil(characters / CHARACTERS_PER_TOKEN) + TOKENS_PER_MESSAGE + images * TOKENS_PER_IMAGE
  );
}

/**
 * Returns the tokens of one message by a counter of texts: its text, the JSON of its calls, the
 * frame that chat formats add, and a fixed number for each image.
 */
export function countedTokens(
  message: ConversationMessage,
  count: (text: string) => number,
): number {
  const { content, toolCalls } = message;
  let tokens = TOKENS_PER_MESSAGE + count(message.role);
  if (message.name !== null) tokens += count(message.name) + 1;
  for (const block of typeof content === 'string' ? [content] : content) {
    if (isImage(block)) tokens += TOKENS_PER_IMAGE;
    else tokens += count(typeof block === 'string' ? block : blockWords(block));
  }
  if (toolCalls.length > 0 && !carriesCalls(content)) tokens += count(JSON.stringify(toolCalls));
  if (message.toolCallId !== null) tokens += count(message.toolCallId);
  return tokens;
}

function blockWords(block: Readonly<Record<string, unknown>>): string {
  const { type, text } = block;
  return type === 'text' && typeof text === 'string' ? text : JSON.stringify(block);
}

function blockCharacters(block: ContentBlock): number {
  if (typeof block === 'string') return codePoints(block);
  const { type, text } = block;
  if (type === 'text') return typeof text === 'string' ? codePoints(text) : 0;
  return codePoints(printed(block, 0));
}

/** Anthropic's format also has the calls in the content; they are counted once. */
function carriesCalls(content: ConversationMessage['content']): boolean {
  if (typeof content === 'string') return false;
  return content.some(
    (block) =>
      typeof block !== 'string' && ['tool_use', 'tool_call'].includes(String(block['type'])),
  );
}

function asPython(call: ConversationMessage['toolCalls'][number]): unknown {
  return { name: call.name, args: call.args, id: call.id, type: 'tool_call' };
}

/** Formats a value as Python prints it, because the approximation counts those characters. */
function printed(value: unknown, depth: number): string {
  if (depth > DEPTH_MAX) return '…';
  if (value === null || value === undefined) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) {
    return `[${value.map((item) => printed(item, depth + 1)).join(', ')}]`;
  }
  if (typeof value !== 'object') return '';
  const fields = Object.entries(value).map(
    ([key, item]) => `${quoted(key)}: ${printed(item, depth + 1)}`,
  );
  return `{${fields.join(', ')}}`;
}

function quoted(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\r', String.raw`\r`)
    .replaceAll('\t', String.raw`\t`);
  if (!text.includes("'")) return `'${escaped}'`;
  return text.includes('"') ? `'${escaped.replaceAll("'", String.raw`\'`)}'` : `"${escaped}"`;
}

/** Counts characters. One outside the basic plane has two units; half of one counts as one. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let at = 1; at < text.length; at += 1) {
    const low = text.charCodeAt(at);
    if (low < 0xdc00 || low > 0xdfff) continue;
    const high = text.charCodeAt(at - 1);
    if (high >= 0xd800 && high <= 0xdbff) count -= 1;
  }
  return count;
}

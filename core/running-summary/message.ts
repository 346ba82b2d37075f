/** A chat message of any library, with the parts that counting and splitting need. */

/** A part of a message: text, an image, or a call in a provider's own format. */
export type ContentBlock = string | Readonly<Record<string, unknown>>;

export interface MessageToolCall {
  readonly id: string | null;
  readonly name: string;
  readonly args: unknown;
}

export interface ConversationMessage {
  readonly id: string | null;
  /** `user`, `assistant`, `system`, `tool`, or a name that only one provider uses. */
  readonly role: string;
  readonly name: string | null;
  readonly content: string | readonly ContentBlock[];
  readonly toolCalls: readonly MessageToolCall[];
  /** The call that a tool message answers. */
  readonly toolCallId: string | null;
  /** Whether it is the summary that an earlier run put into the list. */
  readonly isSummary: boolean;
}

const IMAGE_TYPES: ReadonlySet<unknown> = new Set(['image', 'image_url', 'input_image']);
/** The longest text of a block that is neither text nor an image. */
const OTHER_BLOCK_UNITS_MAX = 2_000;
const URL_UNITS_MAX = 512;

export function isImage(block: ContentBlock): boolean {
  return typeof block !== 'string' && IMAGE_TYPES.has(block['type']);
}

/** Returns the text of a message, without images, reasoning and calls. */
export function textOf(content: ConversationMessage['content']): string {
  if (typeof content === 'string') return content;
  return content
    .map((block) => (typeof block === 'string' ? block : textBlock(block)))
    .filter((text): text is string => text !== null)
    .join('\n');
}

/**
 * Returns a message as plain text for a model without tools, or null if it already is plain text.
 * Images become their address, never their bytes; calls and results name their tool.
 */
export function plainTextOf(message: ConversationMessage): string | null {
  const { content, toolCalls, role } = message;
  if (typeof content === 'string' && toolCalls.length === 0 && role !== 'tool') return null;
  const parts = typeof content === 'string' ? [content] : content.map((block) => blockText(block));
  const calls = toolCalls.map(({ name, args }) => callText(name, args));
  const text = [...parts, ...calls].filter((part) => part !== '').join('\n');
  return role === 'tool' ? `[result of ${message.name ?? 'a tool'}] ${text}` : text;
}

/** Returns a tool call in words. */
export function callText(name: string, args: unknown): string {
  return `[calls ${name} with ${jsonOf(args)}]`;
}

function blockText(block: ContentBlock): string {
  if (typeof block === 'string') return block;
  const text = textBlock(block);
  if (text !== null) return text;
  if (isImage(block)) return `[image${addressOf(block)}]`;
  const type = typeof block['type'] === 'string' ? block['type'] : 'part';
  // The message has these as separate calls; reasoning is not part of what was said.
  if (['tool_use', 'tool_call', 'thinking', 'reasoning', 'redacted_thinking'].includes(type)) {
    return '';
  }
  if (isBinary(block)) return `[${type}${addressOf(block)}]`;
  const json = jsonOf(block);
  return json.length > OTHER_BLOCK_UNITS_MAX ? `[${type}]` : json;
}

function textBlock(block: Readonly<Record<string, unknown>>): string | null {
  const { type, text } = block;
  const isText = type === 'text' || type === 'input_text' || type === 'output_text';
  return isText && typeof text === 'string' ? text : null;
}

function isBinary(block: Readonly<Record<string, unknown>>): boolean {
  return ['file', 'audio', 'video', 'input_audio', 'media'].includes(String(block['type']));
}

function addressOf(block: Readonly<Record<string, unknown>>): string {
  const source = block['image_url'] ?? block['url'];
  const url =
    typeof source === 'object' && source !== null && 'url' in source ? source.url : source;
  if (typeof url !== 'string' || url.startsWith('data:') || url.length > URL_UNITS_MAX) return '';
  return ` ${url}`;
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}

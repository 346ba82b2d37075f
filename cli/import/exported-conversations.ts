/** Conversations as ChatGPT and Claude export them (`conversations.json`). */
import { z } from 'zod';
import { isRecord } from '#core/is-record.ts';
import { type InputPlace, parsed } from './input-file.ts';

/** A conversation whose messages have the fields of those in a chat file. */
interface Conversation {
  readonly id: string;
  /** When it began, for messages without a time of their own. */
  readonly at: unknown;
  /** What the user and the assistant said, in order. */
  readonly messages: readonly {
    readonly id: string;
    readonly role: string;
    readonly content: string;
    readonly at: unknown;
  }[];
}

/** A message of ChatGPT, in a tree: an edited question begins another branch. */
const Node = z.looseObject({
  parent: z.string().nullish(),
  message: z
    .looseObject({
      author: z.looseObject({ role: z.string() }),
      /** The name of a tool where the assistant calls one. */
      recipient: z.string().default('all'),
      content: z.looseObject({ content_type: z.string(), parts: z.array(z.unknown()).default([]) }),
      create_time: z.number().nullish(),
    })
    .nullish(),
});

const OfChatGpt = z.looseObject({
  id: z.string(),
  create_time: z.number().nullish(),
  /** The last message of the branch that is shown; some conversations have none. */
  current_node: z.string().nullish(),
  mapping: z.record(z.string(), Node),
});

const OfClaude = z.looseObject({
  uuid: z.string(),
  created_at: z.string(),
  chat_messages: z.array(
    z.looseObject({
      uuid: z.string(),
      sender: z.string(),
      text: z.string(),
      created_at: z.string(),
    }),
  ),
});

const EXAMPLE_OF_CHATGPT = '{"id":"c1","current_node":"m1","mapping":{"m1":{"message":null}}}';
const EXAMPLE_OF_CLAUDE =
  '{"uuid":"c1","created_at":"2026-01-31T09:00:00Z","chat_messages":' +
  '[{"uuid":"m1","sender":"human","text":"Hello","created_at":"2026-01-31T09:00:00Z"}]}';

/** Whether an object is a conversation of such an export. */
export function isConversation(value: object): boolean {
  return 'chat_messages' in value || ('mapping' in value && 'current_node' in value);
}

/** @throws VarveError INVALID_INPUT if a field is missing or has another type */
export function conversationOf(value: object, place: InputPlace): Conversation {
  if ('chat_messages' in value) {
    const { uuid, created_at, chat_messages } = parsed(OfClaude, value, {
      place,
      example: EXAMPLE_OF_CLAUDE,
    });
    const messages = chat_messages.map((message) => ({
      id: message.uuid,
      role: message.sender,
      content: message.text,
      at: message.created_at,
    }));
    return { id: uuid, at: created_at, messages };
  }
  // Some exports name the id twice, some once.
  const named = 'conversation_id' in value ? { id: value.conversation_id, ...value } : value;
  const { id, create_time, ...tree } = parsed(OfChatGpt, named, {
    place,
    example: EXAMPLE_OF_CHATGPT,
  });
  return { id, at: create_time, messages: shownBranch(tree) };
}

const SPEAKERS: ReadonlySet<string> = new Set(['user', 'assistant']);
/** Other types hold reasoning, code and what tools return. */
const SAID: ReadonlySet<string> = new Set(['text', 'multimodal_text']);

function shownBranch({
  current_node,
  mapping,
}: Pick<z.infer<typeof OfChatGpt>, 'current_node' | 'mapping'>): Conversation['messages'] {
  const branch = new Map<string, z.infer<typeof Node>>();
  const nodes = new Map(Object.entries(mapping));
  const isKnown = typeof current_node === 'string' && nodes.has(current_node);
  for (let id = isKnown ? current_node : newestLeaf(nodes); id !== null && !branch.has(id);) {
    const node = nodes.get(id);
    if (node === undefined) break;
    branch.set(id, node);
    id = node.parent ?? null;
  }
  return [...branch].toReversed().flatMap(([id, { message }]) => {
    if (message === null || message === undefined) return [];
    const { author, recipient, content, create_time } = message;
    const isSaid = SAID.has(content.content_type) && recipient === 'all';
    if (!isSaid || !SPEAKERS.has(author.role)) return [];
    const said = content.parts.map(wordsOf).filter((words) => words !== '');
    return [{ id, role: author.role, content: said.join('\n\n'), at: create_time }];
  });
}

/** Returns the last message of the branch that was written last; null if no branch ends. */
function newestLeaf(nodes: ReadonlyMap<string, z.infer<typeof Node>>): string | null {
  const parents = new Set([...nodes.values()].map(({ parent }) => parent));
  const leaves = [...nodes].filter(([id]) => !parents.has(id));
  const timeOf = ([, { message }]: (typeof leaves)[number]): number => message?.create_time ?? 0;
  return leaves.toSorted((a, b) => timeOf(a) - timeOf(b)).at(-1)?.[0] ?? null;
}

/** Returns the words of a part: a text, or an object such as an image or a recording. */
function wordsOf(part: unknown): string {
  const words = isRecord(part) ? part['text'] : part;
  return typeof words === 'string' ? words : '';
}

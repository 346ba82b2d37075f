/** The objects of a JSON input: messages of a chat, conversations, meetings, or memories. */
import { z } from 'zod';
import { AskedTurn } from '#api/schemas/conversation.ts';
import { IDENTIFIER_OF, Identifiers } from '#core/identifiers.ts';
import { Layer } from '#core/layer.ts';
import { NO_HIERARCHY } from '#core/policy/policy-defaults.ts';
import { CONTENT_LENGTH_MAX, MEMORY_LENGTH_MAX, TAGS_MAX } from '#core/records/memory.ts';
import { TEXT_PARTS_MAX, type ToolCall, type Turn } from '#core/records/turn.ts';
import { requireSaidByNow, MILLISECONDS_MIN, type SaidAt, saidAtOf } from '#core/said-at.ts';
import { partId, turnOfPart, turnParts } from '#core/sessions/turn-parts.ts';
import { accessibleScopes } from '#core/resolve-scope.ts';
import { chunksOf } from '#core/text/cut-long-text.ts';
import { conversationOf } from './exported-conversations.ts';
import { CALLING, callsOf, Content, resultsOf, textOf } from './tool-calls.ts';
import { exportedItems, type ExportedSession } from './varve-export.ts';
import {
  type ImportItem,
  type TurnItem,
  type MemoryItem,
  KEY_UNITS_MAX,
  hashOf,
  slugOf,
} from './import-item.ts';
import { type InputPlace, type Shape, refusal, parsed } from './input-file.ts';

/** @throws VarveError INVALID_INPUT or CONTENT_TOO_LONG if the object does not have the shape. */
type ItemsOf = (value: unknown, place: InputPlace, cursor: Cursor) => readonly ImportItem[];

export const READERS: Readonly<Record<Shape, ItemsOf>> = {
  chat: (value, place, cursor) => messageItems(value, place, { cursor, sessionId: cursor.session }),
  conversations: conversationItems,
  meetings: meetingItems,
  memories: memoryItems,
  export: exportedItems,
};

/** Even the shortest turn has more bytes than this. */
const TURN_BYTES_MIN = 16;

/** Returns the time of the first turn in that many bytes, at one millisecond each. */
export function firstTime(endTime: number, bytes: number): number {
  return endTime - Math.ceil(bytes / TURN_BYTES_MIN);
}

/**
 * Returns the turn's own time, or that of the previous turn in the session. If no turn had a time
 * so far, counts one millisecond per turn from the base time.
 */
function turnTime(value: unknown, place: InputPlace, cursor: Cursor): SaidAt {
  cursor.dated = statedTime(value, place) ?? cursor.dated;
  return cursor.dated ?? { at: cursor.baseTime + cursor.turns };
}

type MessagePart = Pick<TurnItem, 'id' | 'text' | 'toolCalls'>;

/**
 * Returns the parts of a message as an append makes them, so that a deletion of the first takes all
 * of them; the last one has the calls. A message that is too long even for that becomes several
 * turns.
 */
function partsOfMessage(
  id: string,
  text: string,
  toolCalls: readonly ToolCall[] = [],
): readonly MessagePart[] {
  const texts = chunksOf(text, { aim: CONTENT_LENGTH_MAX }).filter((each) => each.trim() !== '');
  // Calls that an append would put into a part of their own.
  const last = texts.slice(-1);
  const needed = toolCalls.length === 0 ? 0 : turnParts(id, last.join(''), toolCalls).length;
  const all = needed > last.length ? [...texts, ''] : texts;
  return all.map((chunk, place) => {
    const turn = Math.floor(place / TEXT_PARTS_MAX);
    const turnId = turn === 0 ? id : `${id}~${String(turn + 1)}`;
    const part = { id: partId(turnId, place % TEXT_PARTS_MAX), text: chunk };
    return needed > 0 && place === all.length - 1 ? { ...part, toolCalls: [...toolCalls] } : part;
  });
}

/** Role names that other programs use. */
const ROLES: Readonly<Record<string, Turn['role']>> = {
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  ai: 'assistant',
  model: 'assistant',
  system: 'system',
  developer: 'system',
  tool: 'tool',
  function: 'tool',
};

const At = z.union([z.string(), z.number()]).nullish();

/** Loose, since exports contain much else. */
const Message = z
  .looseObject({
    role: z.string(),
    content: Content.optional(),
    ...CALLING,
    at: At,
    timestamp: At,
    created_at: At,
    createdAt: At,
    id: z.union([z.string(), z.int()]).nullish(),
    speaker: z.string().nullish(),
    name: z.string().nullish(),
  })
  .refine((message) => message.content !== undefined || callsOf(message).length > 0, {
    path: ['content'],
    error: 'it is missing, or of another type',
  });

const CHAT_EXAMPLE = '{"role":"user","content":"Hello","at":"2026-01-31T09:00:00Z"}';

/**
 * Returns a message's turns: none if it has no text and no calls, several if it is too long for
 * one, and one for each result of a tool that it holds.
 */
function messageItems(
  value: unknown,
  place: InputPlace,
  { cursor, sessionId }: { readonly cursor: Cursor; readonly sessionId: string },
): readonly TurnItem[] {
  const message = parsed(Message, value, { place, example: CHAT_EXAMPLE });
  const role = Object.hasOwn(ROLES, message.role) ? ROLES[message.role] : undefined;
  if (role === undefined) {
    throw refusal(place, {
      problem: '"role" is none that is known',
      expected: `Use one of ${Object.keys(ROLES).join(', ')}. An example: ${CHAT_EXAMPLE}.`,
      details: { field: 'role' },
    });
  }
  const stated = message.at ?? message.timestamp ?? message.created_at ?? message.createdAt;
  const at = turnTime(stated, place, cursor);
  cursor.turns += 1;
  const said = saidIn(message, role);
  const called = said.flatMap(({ toolCalls }) => toolCalls);
  if (called.length > 0) cursor.called = new Map(called.map(({ id, name }) => [id, name]));
  return said.flatMap(({ idEnd, toolCalls, toolCallId, ...spoken }) => {
    const id =
      message.id == null
        ? derivedId(cursor, sessionId, { ...spoken, toolCalls, at: stated })
        : `${String(message.id)}${idEnd}`;
    const turn = {
      ...({ kind: 'turn', sessionId, role: spoken.role, ...at } as const),
      speaker: spoken.speaker ?? cursor.called.get(toolCallId ?? '') ?? null,
      ...(toolCallId === null ? {} : { toolCallId }),
    };
    return partsOfMessage(id, spoken.content, toolCalls).map((part) => ({ ...turn, ...part }));
  });
}

/** One turn of a message. */
interface SaidTurn extends Omit<Said, 'at'> {
  readonly toolCalls: readonly ToolCall[];
  readonly toolCallId: string | null;
  /** What its id has behind that of the message. */
  readonly idEnd: string;
}

/** Returns the results of tools that a user's message holds, and what the message itself says. */
function saidIn(message: z.infer<typeof Message>, role: Turn['role']): readonly SaidTurn[] {
  const { content = null, tool_call_id: answered, speaker, name } = message;
  const results = role === 'user' ? resultsOf(content) : [];
  return [
    ...results.map(({ toolCallId, text }, place) => ({
      ...({ role: 'tool', speaker: null, content: text, toolCalls: [] } as const),
      toolCallId,
      idEnd: `~result-${String(place + 1)}`,
    })),
    {
      role,
      speaker: speaker ?? name ?? null,
      content: textOf(content),
      toolCalls: role === 'assistant' ? callsOf(message) : [],
      toolCallId: role === 'tool' && answered !== '' ? (answered ?? null) : null,
      idEnd: '',
    },
  ];
}

/** Returns the turns of one conversation. Each one is its own session, named by its id. */
function conversationItems(value: unknown, place: InputPlace, cursor: Cursor): readonly TurnItem[] {
  const { id, at, messages } = conversationOf(Object(value) as object, place);
  const sessionId = `${cursor.session}-${slugOf(id)}`;
  cursor.dated = statedTime(at, place);
  return messages.flatMap((message) => messageItems(message, place, { cursor, sessionId }));
}

const ID_DIGITS = 12;
/** Messages of a file that are counted; a `Map` holds no more than 16 million. */
const COUNTED_MAX = 10_000_000;

/**
 * Returns an id that depends on what is said and not on the line, so that an import after a line
 * was inserted, repaired or removed appends what is new. The same words said again count up.
 */
function derivedId(
  cursor: Cursor,
  sessionId: string,
  { role, speaker, content, toolCalls = [], at }: Said,
): string {
  const calls = toolCalls.length === 0 ? [] : [toolCalls];
  const said = JSON.stringify([sessionId, role, speaker, content, at ?? null, ...calls]);
  const digest = hashOf(said, ID_DIGITS);
  const key = Number.parseInt(digest, 16);
  const times = (cursor.times.get(key) ?? 0) + 1;
  if (times > 1 || cursor.times.size < COUNTED_MAX) cursor.times.set(key, times);
  return times === 1 ? `${sessionId}-${digest}` : `${sessionId}-${digest}-${times}`;
}

interface Said {
  readonly role: Turn['role'];
  readonly speaker: string | null;
  readonly content: string;
  readonly toolCalls?: readonly ToolCall[];
  /** As the input states it. */
  readonly at: unknown;
}

/**
 * Checks an item as the operation that writes it will: a file is refused with its line before any
 * of it is stored.
 * @param now in milliseconds since the epoch
 * @throws VarveError INVALID_INPUT naming the place
 */
export function requireValid(item: ImportItem, place: InputPlace, now: number): void {
  const example = item.kind === 'turn' ? CHAT_EXAMPLE : MEMORY_EXAMPLE;
  if (item.kind === 'turn') {
    const { id, role, text: content } = item;
    const turn = { id: turnOfPart(id), role, content, ...spokenAndCalled(item) };
    parsed(AskedTurn, turn, { place, example });
  }
  const { at, utcOffset } = item;
  if (at === null) return;
  try {
    requireSaidByNow(null, [{ at: { at, utcOffset } }], now);
  } catch (cause) {
    throw refusal(place, {
      problem: '"at" is more than two years ahead',
      expected: `Give the time when it was said. An example: ${example}.`,
      details: { field: 'at' },
      cause,
    });
  }
}

/** Returns the fields of a turn that an append takes only if it has them. */
export function spokenAndCalled({ speaker, toolCalls, toolCallId }: TurnItem) {
  return {
    ...(speaker === null ? {} : { speaker }),
    ...(toolCalls === undefined || toolCalls.length === 0 ? {} : { toolCalls: [...toolCalls] }),
    ...(toolCallId === undefined ? {} : { toolCallId }),
  };
}

const Meeting = z.looseObject({
  meeting_transcripts: z.array(
    z.looseObject({ speaker: z.string().nullish(), content: z.string(), at: At }),
  ),
});

const MEETING_EXAMPLE = '{"meeting_transcripts":[{"speaker":"Ann","content":"Let us begin."}]}';

const ORDINAL_DIGITS = 3;

/** Returns the turns of a meeting. Each is a session, numbered from 0 in the file. */
function meetingItems(value: unknown, place: InputPlace, cursor: Cursor): readonly TurnItem[] {
  const meeting = parsed(Meeting, value, { place, example: MEETING_EXAMPLE });
  const ordinal = String(cursor.objects).padStart(ORDINAL_DIGITS, '0');
  const sessionId = `${cursor.session}-meeting-${ordinal}`;
  cursor.dated = null;
  return meeting.meeting_transcripts.flatMap(({ speaker = null, content, at }) => {
    const time = turnTime(at, place, cursor);
    cursor.turns += 1;
    const id = derivedId(cursor, sessionId, { role: 'user', speaker, content, at });
    const turn = { kind: 'turn', sessionId, role: 'user', speaker } as const;
    return partsOfMessage(id, content).map((part) => ({ ...turn, ...part, ...time }));
  });
}

/** Strict, since this format is Varve's own, so an unknown field is a misspelled one. */
const MemoryRecord = z.strictObject({
  layer: Layer,
  ...Identifiers.shape,
  content: z.string().refine((text) => text.trim() !== '', 'the text is empty'),
  key: z.string().min(1).max(KEY_UNITS_MAX).nullish(),
  tags: z.array(z.string().min(1)).max(TAGS_MAX).nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  at: At,
});

const MEMORY_EXAMPLE = '{"layer":"user","userId":"ann","content":"Prefers short answers."}';

/** Returns memories from objects with layer and identifiers, one memory per object. */
function memoryItems(value: unknown, place: InputPlace, cursor: Cursor): readonly MemoryItem[] {
  const record = parsed(MemoryRecord, value, { place, example: MEMORY_EXAMPLE });
  const { layer, content, key, tags, metadata, at, ...identifiers } = record;
  refuseTooLong(content, place);
  const all = opens(layer, identifiers) ? identifiers : { ...cursor.identifiers, ...identifiers };
  if (!opens(layer, all)) {
    const needed = IDENTIFIER_OF[layer];
    throw refusal(place, {
      problem: `a memory of the ${layer} layer needs "${needed}"`,
      expected: `An example: ${MEMORY_EXAMPLE}.`,
      details: { field: needed, layer },
    });
  }
  const item: MemoryItem = {
    kind: 'memory',
    layer,
    identifiers: all,
    text: content,
    key: key ?? null,
    tags: tags ?? [],
    metadata: { ...metadata, file: cursor.name },
    ...(statedTime(at, place) ?? { at: null }),
  };
  return [item];
}

function opens(layer: Layer, identifiers: Identifiers): boolean {
  const { skippedLayers } = accessibleScopes('', { identifiers, hierarchy: NO_HIERARCHY });
  return !skippedLayers.includes(layer);
}

function refuseTooLong(content: string, place: InputPlace): void {
  if (content.length <= MEMORY_LENGTH_MAX) return;
  throw refusal(place, {
    code: 'CONTENT_TOO_LONG',
    problem: `the content has ${content.length} characters, the limit is ${MEMORY_LENGTH_MAX}`,
    expected: 'Split it into several memories, or import it as a Markdown or text file.',
    details: { length: content.length, lengthMax: MEMORY_LENGTH_MAX },
  });
}

/** The position in the import of one file, counted over all its objects, good and bad. */
export interface Cursor {
  /** Slug of the file's name; session ids and turn ids begin with it. */
  readonly session: string;
  /** The file's name in keys and metadata. */
  readonly name: string;
  readonly baseTime: number;
  readonly identifiers: Identifiers;
  /** Objects before this one. */
  objects: number;
  /** The last time that a turn of the session stated; null before the first. */
  dated: SaidAt | null;
  /** In an export: the session whose turns follow. */
  exported: ExportedSession | null;
  /** Turns before this one; times are derived from it. */
  turns: number;
  /** The tools of the last calls, by the ids of the calls. */
  called: ReadonlyMap<string, string>;
  /** By the digest of what is said: how often it was said in the file. */
  readonly times: Map<number, number>;
}

/** ISO 8601: a day, or a time with or without zone. */
const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** The last time that a `Date` can hold. */
const TIME_MAX = 8.64e15;

/** Null for an object without "at". @throws VarveError INVALID_INPUT if it is not a time. */
function statedTime(value: unknown, place: InputPlace): SaidAt | null {
  if (value === undefined || value === null) return null;
  const at = readTime(value);
  if (at !== null) return at;
  throw refusal(place, {
    problem: 'its time is none since 1970',
    expected: 'Use ISO 8601 or epoch milliseconds, e.g. "2026-01-31T09:00:00Z".',
    details: { field: 'at' },
  });
}

/**
 * Parses an ISO 8601 text, or epoch seconds or milliseconds. A text without a zone is UTC, so that
 * an import means the same on every machine. Null for anything else.
 */
export function readTime(value: unknown): SaidAt | null {
  if (typeof value === 'number') {
    const at = Math.round(value < MILLISECONDS_MIN ? value * 1_000 : value);
    return at >= 0 && at <= TIME_MAX ? { at } : null;
  }
  if (typeof value !== 'string') return null;
  const match = ISO.exec(value.trim());
  if (match === null) return null;
  const dated = match[0].length > 10 && match[1] === undefined ? `${match[0]}Z` : match[0];
  const said = saidAtOf(dated.replace(' ', 'T'));
  return said.at >= 0 ? said : null;
}

/** Tools with which a model searches memory, adds to it and forgets, for one tenant and person. */
import { z } from 'zod';
import type { Tool } from 'ai';
import { markOfHit } from '#core/context/outdated-mark.ts';
import { dayTextOf } from '#core/text/day.ts';
import {
  KINDS,
  oneOf,
  optional,
  required,
  requireOptions,
  type Option,
} from '#core/check-options.ts';
import { VarveError } from '#core/errors.ts';
import { IDENTIFIER_OF } from '#core/identifiers.ts';
import type { AgentMemory, Whose } from '#core/agent-memory/agent-memory.ts';

export interface MemoryToolsOptions {
  readonly varve: AgentMemory;
  readonly tenant: string;
  readonly identifiers: Whose;
  /** The layer of memories that the model adds; `user` if absent. */
  readonly layer?: 'user' | 'agent' | 'project' | 'team' | 'org' | 'company';
  /**
   * Whether the model may forget what `searchMemory` found, for good; false if absent. Only what
   * belongs to one of the `identifiers` can be forgotten.
   */
  readonly forget?: boolean;
}

const HITS_DEFAULT = 5;
const HITS_MAX = 20;
const CONTENT_LENGTH_MAX = 2_000;
const ID_LENGTH_MAX = 256;
/** Maximum sessions to search for the session of a turn, newest first. */
const SESSIONS_MAX = 500;

const Search = z.object({
  query: z.string().min(1).max(CONTENT_LENGTH_MAX).describe('The question, in words.'),
  limit: z.int().min(1).max(HITS_MAX).default(HITS_DEFAULT),
});
const Add = z.object({
  content: z
    .string()
    .min(1)
    .max(CONTENT_LENGTH_MAX)
    .describe('One whole sentence that is understood without this conversation.'),
});

const Forget = z.object({
  id: z.string().min(1).max(ID_LENGTH_MAX).describe('The id of a hit of searchMemory.'),
  sessionId: z
    .string()
    .min(1)
    .max(ID_LENGTH_MAX)
    .optional()
    .describe('For a turn, the sessionId of the hit. Leave it out for a memory.'),
});

interface FoundMemory {
  /** With `forget`: what `forgetMemory` takes. */
  readonly id?: string;
  readonly sessionId?: string;
  readonly source: string;
  /** Of a turn: the name of who said it, or the role. */
  readonly speaker?: string;
  readonly text: string;
  readonly date: string;
  readonly score: number;
}

const LAYERS_ADDED = ['user', 'agent', 'project', 'team', 'org', 'company'];

/** Every option; the type keeps this list complete. */
const OPTIONS: Readonly<Record<keyof MemoryToolsOptions, Option>> = {
  varve: required(KINDS.varve),
  tenant: required(KINDS.text),
  identifiers: required(KINDS.identifiers),
  layer: optional(oneOf(LAYERS_ADDED)),
  forget: optional(KINDS.flag),
};

// Types and no interfaces: `tools` of the AI SDK takes only types with an index signature.
type MemoryTools = {
  readonly searchMemory: Tool<z.output<typeof Search>, readonly FoundMemory[]>;
  readonly addMemory: Tool<z.output<typeof Add>, { readonly id: string }>;
};

type ForgettingTools = MemoryTools & {
  readonly forgetMemory: Tool<z.output<typeof Forget>, Forgotten>;
};

type Forgotten = { readonly forgotten: true } | { readonly forgotten: false; readonly why: string };

/**
 * Creates `searchMemory` and `addMemory`, and with `forget` also `forgetMemory`, for the `tools` of
 * `generateText`, `streamText` and agents.
 * @throws VarveError INVALID_INPUT for an option that is missing, unknown or of another kind
 */
export function memoryTools(
  options: MemoryToolsOptions & { readonly forget: true },
): ForgettingTools;
export function memoryTools(options: MemoryToolsOptions): MemoryTools;
export function memoryTools(options: MemoryToolsOptions): MemoryTools | ForgettingTools {
  requireOptions(options, OPTIONS);
  const tools = { searchMemory: searchTool(options), addMemory: addTool(options) };
  return options.forget === true ? { ...tools, forgetMemory: forgetTool(options) } : tools;
}

function searchTool({
  varve,
  tenant,
  identifiers,
  forget = false,
}: MemoryToolsOptions): MemoryTools['searchMemory'] {
  return {
    description:
      'Finds what is known of the user and their work: memories, what was said in past ' +
      'sessions by a `speaker`, lines of files. Call it before you answer anything about the ' +
      'user that the messages do not say. It answers nothing where nothing is known: do not ' +
      'invent. Later words replace a text that ends with “(earlier)”, and a part of one that ' +
      'ends with “(in part earlier)”.',
    inputSchema: Search,
    async execute({ query, limit }) {
      const whose = { ...identifiers };
      const asked = { tenant, identifiers: whose, query, limit, order: 'relevance' } as const;
      const found = await varve.memory.search(asked);
      return found.hits.map(({ source, id, turn, text, score, ...hit }) => {
        const { outdated = false, outdatedInPart = false } = hit;
        const marked = text + markOfHit({ outdated, outdatedInPart });
        const date = dayTextOf(hit);
        const { sessionId, speaker } = turn ?? {};
        const ids = { id, ...(sessionId === undefined ? {} : { sessionId }) };
        const said = speaker === undefined ? {} : { speaker };
        const shown = { source, ...said, text: marked, date, score: Number(score.toFixed(2)) };
        return forget ? { ...ids, ...shown } : shown;
      });
    },
  };
}

function addTool({
  varve,
  tenant,
  identifiers,
  layer = 'user',
}: MemoryToolsOptions): MemoryTools['addMemory'] {
  return {
    description:
      'Keeps one statement for later conversations. Call it when the user states a lasting ' +
      'fact, a preference or a decision, or asks you to remember something; not for small talk.',
    inputSchema: Add,
    async execute({ content }) {
      const stored = {
        tenant,
        layer,
        identifiers: { ...identifiers },
        content,
        deduplicate: 'Exact',
      } as const;
      const { memory } = await varve.memory.add(stored);
      return { id: memory.id };
    },
  };
}

function forgetTool(options: MemoryToolsOptions): ForgettingTools['forgetMemory'] {
  const calls = forgettingCalls(options.varve);
  return {
    description:
      'Deletes one memory by the id that searchMemory returned, or one turn of a past session ' +
      'by its id and sessionId, for good. Call it only when the user asks to forget something, ' +
      'or when a memory is wrong (then add the right one). Search again afterwards: a reply that ' +
      'repeats what was said is another turn.',
    inputSchema: Forget,
    async execute({ id, sessionId }) {
      const isForgotten =
        sessionId === undefined
          ? await forgetOwnMemory(calls, options, id)
          : await forgetOwnTurn(calls, options, { id, sessionId });
      if (isForgotten) return { forgotten: true };
      const why =
        sessionId === undefined
          ? `No memory that is open here has the id ${id}. A turn is forgotten by its id and ` +
            'sessionId.'
          : `No session ${sessionId} that is open here has the turn ${id}. A memory has no ` +
            'sessionId.';
      return { forgotten: false, why: `${why} Search again for what is left.` };
    },
  };
}

type Whole<T> = { readonly [Name in keyof T]-?: T[Name] };

interface ForgettingCalls {
  readonly memory: Pick<Whole<AgentMemory['memory']>, 'get' | 'delete'>;
  readonly conversation: Pick<Whole<AgentMemory['conversation']>, 'list' | 'delete'>;
}

/** @throws VarveError INVALID_INPUT for something that can't forget */
function forgettingCalls({ memory, conversation }: AgentMemory): ForgettingCalls {
  const isWhole =
    memory.get !== undefined &&
    memory.delete !== undefined &&
    conversation.list !== undefined &&
    conversation.delete !== undefined;
  if (isWhole) {
    return {
      memory: memory as ForgettingCalls['memory'],
      conversation: conversation as ForgettingCalls['conversation'],
    };
  }
  throw new VarveError(
    'INVALID_INPUT',
    'forget: expected a varve with memory.get, memory.delete, conversation.list and ' +
      'conversation.delete; give an open library or a client, or leave the option out.',
  );
}

/** What belongs to others looks like what does not exist. */
async function forgetOwnMemory(
  { memory }: ForgettingCalls,
  { tenant, identifiers }: MemoryToolsOptions,
  id: string,
): Promise<boolean> {
  const known = await memory.get({ tenant, id });
  if (known === null) return false;
  const named = new Map<string, unknown>(Object.entries(identifiers));
  if (named.get(IDENTIFIER_OF[known.layer]) !== known.scopeId) return false;
  return (await memory.delete({ tenant, id })).deleted;
}

async function forgetOwnTurn(
  { conversation }: ForgettingCalls,
  { tenant, identifiers }: MemoryToolsOptions,
  { id, sessionId }: { readonly id: string; readonly sessionId: string },
): Promise<boolean> {
  const asked = { tenant, identifiers: { ...identifiers }, limit: SESSIONS_MAX };
  const { sessions } = await conversation.list(asked);
  if (!sessions.some((each) => each.sessionId === sessionId)) return false;
  const { deleted } = await conversation.delete({ tenant, sessionId, turnIds: [id] });
  return deleted.length > 0;
}

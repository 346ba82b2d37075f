/** Tools that write, find, list and delete memories. */
import { z } from 'zod';
import { isoTime } from '#core/said-at.ts';
import { OPERATIONS } from '../operations/table.ts';
import type { SearchAnswer, ShownHit } from '../schemas/search.ts';
import { markOfHit } from '#core/context/outdated-mark.ts';
import { entryOf } from '#core/context/past-turns.ts';
import { VarveError } from '#core/errors.ts';
import type { Layer } from '#core/layer.ts';
import { thresholdBelow } from '#core/search/search-defaults.ts';
import {
  homeLayer,
  createBindingCheck,
  openLayers,
  type Binding,
  type Bound,
  type BoundScope,
} from './server-binding.ts';
import {
  countText,
  LAYER_MEANING,
  layerField,
  memoryLine,
  READ_ONLY,
  tool,
  ToolMemory,
  toolMemory,
  type Tool,
} from './tool.ts';

const { add, search, list, delete: remove } = OPERATIONS.memory;
const { delete: removeTurns } = OPERATIONS.conversation;

const MARKS = {
  outdated: z.boolean().describe('Whether later words of the user replace it.'),
  outdatedInPart: z.boolean().describe('Whether they replace a part of it.'),
};

export function memoryTools(binding: Binding): readonly Tool[] {
  return [addMemory(binding), searchMemory(binding), listMemories(binding), deleteMemory(binding)];
}

function addMemory(binding: Binding): Tool {
  return tool(binding, {
    name: 'add_memory',
    title: 'Remember something',
    description:
      'Stores one statement for later conversations. Call it when the user ' +
      'states a lasting fact, a preference, a decision or a correction, or asks ' +
      'you to remember something; do not call it for small talk or for what ' +
      'matters only in this answer. Write one self-contained sentence with names ' +
      'and dates, without "I" and "today". Returns the stored memory with its ' +
      'id. If a memory already says the same and still holds, it gets your date, ' +
      'tags, metadata and expiry, and nothing is stored twice. If something ' +
      'replaced it since, your statement holds again.',
    hints: { ...READ_ONLY, readOnlyHint: false },
    input: z.strictObject({
      ...add.input.pick({ content: true, tags: true, metadata: true, at: true, expiresAt: true })
        .shape,
      layer: layerField(binding)
        .optional()
        .describe(`Whom it is for. ${LAYER_MEANING} Without it: the user, else the agent.`),
    }),
    output: z.object({
      memory: ToolMemory,
      alreadyKnown: z.boolean().describe('True if the same text was already stored.'),
    }),
    run: async ({ calls }, { layer, at, ...input }, scope) => {
      const answer = await calls.memory.add({
        ...input,
        ...(at === undefined ? {} : { at: isoTime(at) }),
        ...scope,
        layer: layer ?? homeLayer(scope),
        deduplicate: 'Exact',
      });
      const memory = toolMemory(answer.memory);
      const done = answer.deduplicated ? 'Known already:' : 'Remembered:';
      return {
        text: `${done}\n${memoryLine(memory)}`,
        content: { memory, alreadyKnown: answer.deduplicated },
      };
    },
  });
}

function searchMemory(binding: Binding): Tool {
  return tool(binding, {
    name: 'search_memory',
    title: 'Search memories',
    description:
      'Finds what fits a question, by words and meaning: memories, what was said ' +
      'in past sessions, lines of MEMORY.md and daily files. Call it before you ' +
      'answer anything about the user, their work or earlier decisions, and ' +
      'before you delete or correct a memory. Returns the best hits with source, ' +
      'id, text, score (0 to 1) and date. Pass the id to delete_memory, with the ' +
      'sessionId if the hit is a turn. If nothing is found, try other words or a ' +
      'threshold of 0.4. For the whole picture of a question, call get_context.',
    hints: READ_ONLY,
    input: z.strictObject({
      ...search.input.pick({
        query: true,
        tags: true,
        filter: true,
        limit: true,
        threshold: true,
      }).shape,
      ...layersField(binding),
    }),
    output: z.object({
      hits: z.array(
        z.object({
          source: z.enum(['memory', 'turn', 'line']),
          id: z.string(),
          text: z.string(),
          layer: ToolMemory.shape.layer,
          trust: ToolMemory.shape.trust,
          at: z.string().describe('When it began to be true, or when it was said.'),
          sessionId: z
            .string()
            .nullable()
            .describe('The session of a turn; null for everything else.'),
          said: z
            .string()
            .nullable()
            .describe('Who said it, or the file that contains it; null for a memory.'),
          score: z.number().describe('0 to 1; how well it fits.'),
          ...MARKS,
          conflictsWith: z
            .array(z.string())
            .describe('Ids of hits with nearly the same words and another value.'),
        }),
      ),
      nearestScore: z
        .number()
        .nullable()
        .describe('The best score below the threshold; null if there is none.'),
    }),
    run: async ({ calls }, input, scope) => {
      const answer = await calls.memory.search({ ...input, ...scope, order: 'relevance' });
      const hits = answer.hits.map(toolHit);
      const nearestScore = answer.nearestMisses[0]?.score ?? null;
      const text =
        hits.length === 0
          ? emptyText(answer, binding)
          : [`${countText(hits.length, 'hit', 'hits')}.`, ...hits.map(hitLine)].join('\n');
      return { text, content: { hits, nearestScore } };
    },
  });
}

function toolHit({ source, id, text, layer, at, utcOffset, score, ...hit }: ShownHit) {
  const { memory, turn, line, outdated, outdatedInPart, conflictsWith } = hit;
  return {
    source,
    id,
    text,
    layer,
    score,
    trust: memory?.trust ?? turn?.trust ?? line?.trust ?? 'untrusted',
    at: isoTime({ at, utcOffset }),
    sessionId: turn?.sessionId ?? null,
    said: turn?.speaker ?? line?.path ?? null,
    outdated,
    outdatedInPart,
    conflictsWith: [...conflictsWith],
  };
}

function hitLine({ text, said, ...hit }: ReturnType<typeof toolHit>): string {
  const { source, id, sessionId, layer, trust, at, score } = hit;
  const since = source === 'turn' ? at.slice(0, 10) : `since ${at.slice(0, 10)}`;
  const place = sessionId === null ? layer : `session ${sessionId}`;
  const what = `${source} ${id}, ${place}, ${trust}, ${since}, score ${score.toFixed(2)}`;
  return entryOf(said === null ? '- ' : `- ${said}: `, text, `${markOfHit(hit)} [${what}]`);
}

/** Says what was searched, how near the nearest hit was, and what to name to find more. */
function emptyText({ nothingFound }: SearchAnswer, { isOpen }: Binding): string {
  if (nothingFound === null) return 'Nothing is stored that fits.';
  const { scopes, sessions, lines, moreIdentifiers, nearestScore } = nothingFound;
  const looked = [
    ...scopes.map(
      ({ layer, memories }) => `${countText(memories, 'memory', 'memories')} (${layer})`,
    ),
    ...(sessions === 0 ? [] : [countText(sessions, 'past session', 'past sessions')]),
    ...(lines === 0 ? [] : [countText(lines, 'line of files', 'lines of files')]),
  ];
  const more =
    isOpen && moreIdentifiers.length > 0
      ? ` To search more, add: ${moreIdentifiers.join(', ')}.`
      : '';
  if (looked.length === 0) return `Nothing is stored here yet.${more}`;
  const where = ` Looked through: ${looked.join(', ')}.${more}`;
  if (nearestScore === null) return `Nothing is stored that fits.${where}`;
  const below = thresholdBelow(nearestScore);
  if (below === null) return `Nothing found that is near the question; try other words.${where}`;
  const nearest = nearestScore.toFixed(2);
  return `Nothing found above the threshold. The nearest has ${nearest}; try ${below}.${where}`;
}

const ListedToolMemory = ToolMemory.extend(MARKS);

function listMemories(binding: Binding): Tool {
  return tool(binding, {
    name: 'list_memories',
    title: 'List memories',
    description:
      'Lists stored memories page by page, the newest first. Call it when the ' +
      'user asks what is stored about them, or wants to tidy up; to answer a ' +
      'question, call search_memory. Returns memories with their ids, how many ' +
      'there are, and nextCursor for the next page; "(earlier)" marks what a newer ' +
      'memory replaces. It shows only the beginning of a long text; call why with ' +
      'the id to read all of it.',
    hints: READ_ONLY,
    input: z.strictObject({
      ...list.input.pick({ tags: true, filter: true, order: true, cursor: true }).shape,
      limit: list.input.shape.limit.unwrap().default(PAGE),
      ...layersField(binding),
    }),
    output: z.object({
      memories: z.array(ListedToolMemory),
      nextCursor: z.string().nullable().describe('Null on the last page.'),
      totalCount: z.number(),
    }),
    run: async ({ calls }, input, scope) => {
      const asked = { ...input, ...scope };
      const { nextCursor, totalCount, ...answer } = await calls.memory.list(asked);
      const memories = answer.memories.map((memory) => {
        const { outdated = false, outdatedInPart = false } = memory;
        return { ...toolMemory(memory), outdated, outdatedInPart };
      });
      const more = nextCursor === null ? '' : ` More with cursor ${nextCursor}`;
      const head = `${String(memories.length)} of ${countText(totalCount, 'memory', 'memories')}.`;
      return {
        text: [`${head}${more}`, ...memories.map((each) => memoryLine(each, markOfHit(each)))].join(
          '\n',
        ),
        content: { memories, nextCursor, totalCount },
      };
    },
  });
}

/** Maximum memories of a page that a model reads at once. */
const PAGE = 20;

function deleteMemory(binding: Binding): Tool {
  return tool(binding, {
    name: 'delete_memory',
    title: 'Forget a memory, or what was said',
    description:
      'Deletes one memory by the id that search_memory or list_memories ' +
      'returned, or one turn of a past session by its id and sessionId. Facts ' +
      'that rest on it leave every summary at once. Call it when the user ' +
      'asks to forget something, or when a memory is wrong (then add the right ' +
      'one). A reply that repeats a turn is a separate turn: search again and ' +
      'delete it too. Returns deleted: true; an id that does not exist is an ' +
      'error.',
    hints: { ...READ_ONLY, readOnlyHint: false, destructiveHint: true },
    input: z.strictObject({
      id: remove.input.shape.id.describe(
        'Id of the memory or the turn, as search_memory returned it.',
      ),
      sessionId: removeTurns.input.shape.sessionId
        .optional()
        .describe(
          'For a turn, the id of its session, as search_memory returned it. Leave it ' +
            'out for a memory.',
        ),
    }),
    output: z.object({ deleted: z.literal(true) }),
    run: async (bound, { id, sessionId }, scope) => {
      const isDeleted =
        sessionId === undefined
          ? await deletedMemory(bound, id)
          : await deletedTurn(bound, scope, { id, sessionId });
      if (!isDeleted) throw nothingToDelete(id, sessionId);
      return { text: `Forgotten: ${id}`, content: { deleted: true as const } };
    },
  });
}

async function deletedMemory(bound: Bound, id: string): Promise<boolean> {
  const { calls, binding } = bound;
  const { tenant } = binding;
  const known = await calls.memory.get({ tenant, id });
  const isWithin = await createBindingCheck(bound);
  if (known === null || !isWithin(known) || !(await isOfOpenSession(bound, known))) return false;
  return (await calls.memory.delete({ tenant, id })).deleted;
}

/** Whether calls could name the session of a memory, not another user's; true for other layers. */
async function isOfOpenSession(
  { calls, binding }: Bound,
  { layer, scopeId }: { readonly layer: Layer; readonly scopeId: string },
): Promise<boolean> {
  const { tenant, identifiers } = binding;
  if (layer !== 'session' || identifiers.sessionId !== undefined) return true;
  try {
    await calls.summary.list({ tenant, identifiers: { ...identifiers, sessionId: scopeId } });
    return true;
  } catch (error) {
    if (error instanceof VarveError && error.code === 'FORBIDDEN') return false;
    throw error;
  }
}

/** Maximum sessions to search for the session of a turn, newest first. */
const SESSIONS_MAX = 500;

async function deletedTurn(
  { calls }: Bound,
  scope: BoundScope,
  { id, sessionId }: { readonly id: string; readonly sessionId: string },
): Promise<boolean> {
  const { sessions } = await calls.conversation.list({ ...scope, limit: SESSIONS_MAX });
  const isOwn = scope.identifiers.sessionId === sessionId;
  if (!isOwn && !sessions.some((each) => each.sessionId === sessionId)) return false;
  const { tenant } = scope;
  const turnIds = [id];
  return (await calls.conversation.delete({ tenant, sessionId, turnIds })).deleted.length > 0;
}

/** Another's record looks like one that does not exist. */
function nothingToDelete(id: string, sessionId: string | undefined): VarveError {
  const message =
    sessionId === undefined
      ? `No memory that is open here has the id ${id}. A turn is deleted by its id and sessionId.`
      : `No session ${sessionId} that is open here has the turn ${id}. A memory has no sessionId.`;
  return new VarveError('MEMORY_NOT_FOUND', message);
}

function layersField(binding: Binding) {
  const layers = openLayers(binding);
  return {
    layers: z
      .array(layerField(binding))
      .min(1)
      .max(layers.length)
      .optional()
      .describe(`Only these layers. ${LAYER_MEANING}`),
  };
}

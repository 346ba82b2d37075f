/** Adding, finding, changing and deleting memories, as mem0's clients ask for it. */
import * as bodies from './request-bodies.ts';
import { VarveError } from '#core/errors.ts';
import { memoryNotFound } from '#core/memory-not-found.ts';
import { LIST_LIMIT_MAX, SEARCH_LIMIT_MAX } from '#core/search/search-defaults.ts';
import { isPlainObject, type Metadata } from '#core/sources/metadata-limits.ts';
import { parseInput } from '../parse-input.ts';
import type { ShownMemory } from '../schemas/shared-answers.ts';
import type { ItemFailure } from '../schemas/memory.ts';
import type { ShownHit } from '../schemas/search.ts';
import {
  searchConditionsOf,
  entitiesToAdd,
  placeOfEntities,
  selectionsFor,
  type Mem0Call,
} from './call.ts';
import { ENTITIES_FIELD, OWN_FIELDS, type Entities, type Selection } from './filters.ts';
import {
  mem0History,
  mem0Hit,
  mem0Memory,
  keepMovedFields,
  withEntities,
  withMovedFields,
} from './answer-bodies.ts';

/** Maximum memories before a page; to read further, use `memory.list` with its cursor. */
const LISTED_MAX = 10_000;
/** Maximum pages of changes of one memory. */
const HISTORY_PAGES_MAX = 10;
const HISTORY_PAGE = 100;
/** Maximum pages of memories that one call deletes. */
const DELETE_PAGES_MAX = 100;

const DELETED = { message: 'Memory deleted successfully!' };
const ALL_DELETED = { message: 'Memories deleted successfully!' };

export async function add(call: Mem0Call) {
  const asked = parseInput(bodies.AddBody, call.body);
  const entities = entitiesToAdd(call, asked);
  const messages = saidIn(asked);
  const end = asked.expiration_date == null ? {} : { expiresAt: asked.expiration_date };
  const metadata = callersMetadata(asked.metadata);
  if (asked.infer) {
    return inferred(call, entities, {
      messages,
      metadata: withMovedFields(metadata, entities),
      ...end,
    });
  }
  const memories = messages
    .filter(({ role }) => role !== 'system')
    .map(({ content, at }) => ({
      ...placeOfEntities(entities),
      content,
      metadata: withEntities(metadata, entities),
      at,
      ...end,
    }));
  return verbatim(call, memories);
}

type Messages = Parameters<Mem0Call['calls']['memory']['addMessages']>[0];
type NewMemories = Parameters<Mem0Call['calls']['memory']['bulkAdd']>[0]['memories'];

/** @throws VarveError INVALID_INPUT if no message has words */
function saidIn({ messages, timestamp }: bodies.AddBody) {
  const said = messages.flatMap(({ role, content, name }) =>
    content == null || content.trim() === ''
      ? []
      : [{ role, content, speaker: name, ...(timestamp == null ? {} : { at: timestamp }) }],
  );
  if (said.length > 0) return said;
  throw new VarveError(
    'INVALID_INPUT',
    'messages: expected at least one message with text, found none. Add a message with text.',
  );
}

/** @throws VarveError MISSING_IDENTIFIER if only a run is named */
async function inferred(
  { calls, tenant }: Mem0Call,
  entities: Entities,
  asked: Omit<Messages, 'tenant' | 'identifiers'>,
) {
  const { identifiers } = placeOfEntities(entities);
  if (identifiers.sessionId !== undefined) {
    const message =
      'Name user_id, agent_id or app_id beside run_id, or send infer: false: what messages say ' +
      'is kept of a user, an agent or an app.';
    throw new VarveError('MISSING_IDENTIFIER', message);
  }
  const { results } = await calls.memory.addMessages({ tenant, identifiers, ...asked });
  return {
    results: results.flatMap(({ event, id, text, supersedes }) =>
      event === 'NOOP' || id === null
        ? []
        : [{ id, memory: text, event: 'ADD', linked_memory_ids: supersedes }],
    ),
  };
}

async function verbatim({ calls, tenant }: Mem0Call, memories: NewMemories) {
  if (memories.length === 0) return { results: [] };
  const { items } = await calls.memory.bulkAdd({ tenant, memories });
  requireAll(items);
  return {
    results: items.flatMap((item, at) => {
      const memory = memories[at];
      return item.ok && memory !== undefined
        ? [{ id: item.id, memory: memory.content, event: 'ADD' }]
        : [];
    }),
  };
}

export async function search(call: Mem0Call) {
  const asked = parseInput(bodies.SearchBody, call.body);
  const { calls, tenant } = call;
  const limit = Math.min(bodies.topKOf(asked), SEARCH_LIMIT_MAX);
  const found: ShownHit[] = [];
  for (const selection of selectionsFor(call, asked)) {
    const { hits } = await calls.memory.search({
      tenant,
      query: asked.query,
      ...searchConditionsOf(selection),
      sources: ['memory'],
      order: 'relevance',
      limit,
      latestOnly: asked.latest_only ?? true,
      // mem0's clients expect the nearest memories, however far they are.
      threshold: asked.threshold ?? 0,
    });
    found.push(...hits);
  }
  const ranked = found.toSorted((a, b) => b.score - a.score);
  return { results: onceEach(ranked).slice(0, limit).flatMap(mem0Hit) };
}

/** The first version of the API returns a list. */
export async function searchAsList(call: Mem0Call) {
  const { output_format: format } = parseInput(bodies.SearchBody, call.body);
  const answer = await search(call);
  return format === 'v1.1' ? answer : answer.results;
}

/** The page is in the address, and the filters are in the body. */
export async function list({ body, ...call }: Mem0Call) {
  const fields = body === undefined || isPlainObject(body) ? body : { body };
  return listed({ ...call, body }, parseInput(bodies.ListBody, { ...fields, ...call.query }));
}

/** The first version of the API returns a list if no page is requested. */
export async function listAsList(call: Mem0Call) {
  const answer = await listed(call, parseInput(bodies.ListQuery, call.query));
  const isList = call.query['page'] === undefined && call.query['output_format'] !== 'v1.1';
  return isList ? answer.results : answer;
}

type Listed = ReturnType<typeof parseInput<typeof bodies.ListBody>>;

async function listed(call: Mem0Call, asked: Listed) {
  const { page, page_size: size } = asked;
  const end = page * size;
  if (end > LISTED_MAX) {
    const message = `page: expected one of the first ${String(LISTED_MAX)} memories.`;
    throw new VarveError('INVALID_INPUT', `${message} GET /docs shows how to list all.`);
  }
  const latestOnly = asked.latest_only ?? true;
  const found: ShownMemory[] = [];
  let count = 0;
  for (const selection of selectionsFor(call, asked)) {
    const { memories, total } = await newest(call, selection, { most: end, latestOnly });
    found.push(...memories);
    count += total;
  }
  const newestFirst = onceEach(found.toSorted((a, b) => (a.id < b.id ? 1 : -1)));
  const results = newestFirst.slice(end - size, end).map(mem0Memory);
  return { count, ...pageLinks({ page, page_size: size }, count), results };
}

/** Returns the newest memories, at most `most`, page by page. */
async function newest(
  { calls, tenant }: Mem0Call,
  selection: Selection,
  { most, latestOnly }: { readonly most: number; readonly latestOnly: boolean },
) {
  const memories: ShownMemory[] = [];
  let cursor: string | null = null;
  let total: number;
  do {
    const limit = Math.min(most - memories.length, LIST_LIMIT_MAX);
    const asked = { tenant, ...searchConditionsOf(selection), latestOnly, limit };
    const answer: Awaited<ReturnType<typeof calls.memory.list>> = await calls.memory.list(
      cursor === null ? asked : { ...asked, cursor },
    );
    memories.push(...answer.memories);
    cursor = answer.nextCursor;
    total = answer.totalCount;
  } while (cursor !== null && memories.length < most);
  return { memories, total };
}

export function pageLinks({ page, page_size: size }: bodies.Page, count: number) {
  const link = (to: number) => `?page=${String(to)}&page_size=${String(size)}`;
  const next = page * size < count ? link(page + 1) : null;
  return { next, previous: page > 1 ? link(page - 1) : null };
}

export async function get({ calls, tenant, params, query }: Mem0Call) {
  parseInput(bodies.Nothing, query);
  const { id = '' } = params;
  const memory = await calls.memory.get({ tenant, id });
  if (memory === null) throw memoryNotFound(id);
  return mem0Memory(memory);
}

export async function update(call: Mem0Call) {
  const { text, metadata } = parseInput(bodies.UpdateBody, call.body);
  return mem0Memory(await changed(call, { id: call.params['id'] ?? '', text, metadata }));
}

interface Change {
  readonly id: string;
  readonly text?: string | undefined;
  readonly metadata?: Metadata | null | undefined;
}

async function changed({ calls, tenant }: Mem0Call, { id, text, metadata }: Change) {
  const fields = callersMetadata(metadata);
  const isOwn = Object.keys(fields).some((name) => OWN_FIELDS.has(name));
  const before = isOwn ? await calls.memory.get({ tenant, id }) : null;
  const { memory } = await calls.memory.update({
    tenant,
    id,
    content: text,
    metadata: before?.origin.channel === 'extraction' ? keepMovedFields(before, fields) : fields,
  });
  return memory;
}

export async function remove({ calls, tenant, params, query }: Mem0Call) {
  parseInput(bodies.DeleteQuery, query);
  await calls.memory.delete({ tenant, id: params['id'] ?? '' });
  return DELETED;
}

export async function removeAll(call: Mem0Call) {
  const asked = parseInput(bodies.DeleteAllQuery, call.query);
  for (const selection of selectionsFor(call, asked)) await removeSelected(call, selection);
  return ALL_DELETED;
}

/** @throws VarveError CONFLICT if there are more memories than one call deletes */
export async function removeSelected(
  { calls, tenant }: Mem0Call,
  selection: Selection,
): Promise<void> {
  const asked = {
    tenant,
    ...searchConditionsOf(selection),
    latestOnly: false,
    limit: LIST_LIMIT_MAX,
  };
  for (let page = 0; page < DELETE_PAGES_MAX; page += 1) {
    const { memories } = await calls.memory.list(asked);
    if (memories.length === 0) return;
    const ids = memories.map(({ id }) => id);
    const { items } = await calls.memory.bulkDelete({ tenant, ids });
    requireAll(items);
  }
  const most = String(DELETE_PAGES_MAX * LIST_LIMIT_MAX);
  throw new VarveError(
    'CONFLICT',
    `There are more than ${most} memories; call again for the rest.`,
  );
}

/** @throws VarveError the error of the first item that failed */
function requireAll(items: readonly (ItemFailure | { readonly ok: true })[]): void {
  const failed = items.find((item): item is ItemFailure => !item.ok);
  if (failed === undefined) return;
  const { code, message, details } = failed.error;
  throw new VarveError(code, message, { details });
}

export async function history({ calls, tenant, params, query }: Mem0Call) {
  parseInput(bodies.Nothing, query);
  const id = params['id'] ?? '';
  const memory = await calls.memory.get({ tenant, id });
  const changes: Parameters<typeof mem0History>[0][number][] = [];
  for (let page = 0; page < HISTORY_PAGES_MAX; page += 1) {
    const last = changes.at(-1)?.version;
    const before = last === undefined ? {} : { beforeVersion: last };
    const found = await calls.memory.history({ tenant, id, ...before, limit: HISTORY_PAGE });
    changes.push(...found.changes);
    if (found.changes.length < HISTORY_PAGE) break;
  }
  return mem0History(changes, memory?.content ?? null);
}

export async function updateMany(call: Mem0Call) {
  const { memories } = parseInput(bodies.BatchUpdateBody, call.body);
  for (const { memory_id: id, text, metadata } of memories) {
    await changed(call, { id, text, metadata });
  }
  return { message: `Successfully updated ${String(memories.length)} memories` };
}

export async function removeMany({ calls, tenant, body }: Mem0Call) {
  const { memories } = parseInput(bodies.BatchDeleteBody, body);
  const ids = memories.map(({ memory_id: id }) => id);
  const { items } = await calls.memory.bulkDelete({ tenant, ids });
  requireAll(items);
  return { message: `Successfully deleted ${String(ids.length)} memories` };
}

/** @throws VarveError INVALID_INPUT if the metadata has the field that holds the entities */
function callersMetadata(metadata: Metadata | null | undefined): Metadata {
  if (metadata == null) return {};
  if (!Object.hasOwn(metadata, ENTITIES_FIELD)) return metadata;
  const message = `metadata: expected another name than ${ENTITIES_FIELD}, which is Varve's own.`;
  throw new VarveError('INVALID_INPUT', message);
}

function onceEach<T extends { readonly id: string }>(found: readonly T[]): readonly T[] {
  return [...new Map(found.map((each) => [each.id, each])).values()];
}

/** Writes imported items into one tenant: memories and turns, in order, many per call. */
import type { ItemFailure } from '#api/schemas/memory.ts';
import { VarveError } from '#core/errors.ts';
import { IDENTIFIER_OF, type Identifiers } from '#core/identifiers.ts';
import type { Layer } from '#core/layer.ts';
import { isoTime } from '#core/said-at.ts';
import type { ImportItem, MemoryItem, TurnItem } from './import-item.ts';
import { spokenAndCalled } from './json-records.ts';
import type { Varve } from '../open-varve.ts';
import {
  extractedId,
  isLinked,
  type LinkedMemory,
  turnKey,
  writeExtracted,
} from './write-memories-of-turns.ts';

/** Memories of one call. */
const MEMORIES_PER_CALL = 200;
/** Characters of one call: at most three bytes each, well below the limit of the API. */
const CHARACTERS_PER_CALL = 500_000;

interface MemoryBatch {
  /** Keeps an item until there are enough for a call. */
  add(item: MemoryItem): Promise<void>;
  flush(): Promise<void>;
}

function createMemoryBatch(
  varve: Pick<Varve, 'memory'>,
  target: IngestTarget,
  report: ImportReport,
): MemoryBatch {
  let waiting: MemoryItem[] = [];
  let characters = 0;
  const flush = async (): Promise<void> => {
    const items = waiting;
    waiting = [];
    characters = 0;
    if (items.length > 0) await addMemories(varve, target, { items, report });
  };
  return {
    flush,
    async add(item) {
      if (characters + item.text.length > CHARACTERS_PER_CALL) await flush();
      waiting.push(item);
      characters += item.text.length;
      if (waiting.length >= MEMORIES_PER_CALL) await flush();
    },
  };
}

async function addMemories(
  varve: Pick<Varve, 'memory'>,
  { tenant, identifiers }: IngestTarget,
  { items: all, report }: { items: readonly MemoryItem[]; report: ImportReport },
): Promise<void> {
  const known = await Promise.all(all.map((item) => isKnown(varve, tenant, item)));
  const items = all.filter((_, place) => known[place] === false);
  report.unchanged += all.length - items.length;
  if (items.length === 0) return;
  const memories = items.map((item) => ({
    ...memoryOf(item, identifiers),
    deduplicate: 'Exact' as const,
  }));
  const answer = await varve.memory.bulkAdd({ tenant, memories });
  for (const [place, memory] of memories.entries()) {
    const outcome = answer.items[place];
    if (outcome?.ok !== true) throw failureOf(outcome);
    const { id, version, deduplicated, embeddingGenerated } = outcome;
    if (version === 1 && !deduplicated) {
      if (!embeddingGenerated) report.withoutVector += 1;
      countMemory(report, memory, { id, key: memory.key ?? null });
      continue;
    }
    countScope(report, memory.layer, memory.identifiers);
    if (deduplicated) report.unchanged += 1;
    else report.updated += 1;
  }
}

function memoryOf(
  { text: content, key, at, utcOffset, tags, expiresAt, ...item }: MemoryItem,
  identifiers: Identifiers,
) {
  return {
    layer: item.layer ?? (identifiers.userId === undefined ? 'project' : 'user'),
    identifiers: item.layer === null ? identifiers : item.identifiers,
    content,
    metadata: JSON.parse(JSON.stringify(item.metadata)) as Record<string, string>,
    tags: [...tags],
    ...(item.memoryKind === undefined ? {} : { kind: item.memoryKind }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(key === null ? {} : { key }),
    ...(at === null ? {} : { at: isoTime({ at, utcOffset }) }),
  };
}

async function addLinked(
  varve: Pick<Varve, 'memory'>,
  { tenant, identifiers }: IngestTarget,
  { linked, report }: { linked: readonly LinkedMemory[]; report: ImportReport },
): Promise<readonly string[]> {
  const memories = linked.map(({ item, links }) => ({
    ...memoryOf(item, identifiers),
    ...(item.extracted === undefined ? {} : { extracted: { ...item.extracted, ...links } }),
  }));
  const answer = await varve.memory.bulkAdd({ tenant, memories });
  return memories.map((memory, place) => {
    const outcome = answer.items[place];
    if (outcome?.ok !== true) throw failureOf(outcome);
    const { id, embeddingGenerated } = outcome;
    if (!embeddingGenerated) report.withoutVector += 1;
    countMemory(report, memory, { id, key: null });
    return id;
  });
}

/** Whether an exported memory is where it was exported from, as it is or changed since. */
async function isKnown(
  varve: Pick<Varve, 'memory'>,
  tenant: string,
  { id, layer, identifiers }: MemoryItem,
): Promise<boolean> {
  if (id === undefined || layer === null) return false;
  const memory = await varve.memory.get({ tenant, id });
  return memory?.layer === layer && memory.scopeId === identifiers[IDENTIFIER_OF[layer]];
}

function failureOf(failure: ItemFailure | undefined): VarveError {
  if (failure === undefined) {
    return new VarveError('CORRUPT', 'An item of a call has no answer.');
  }
  const { code, message, details } = failure.error;
  return new VarveError(code, message, { details });
}

const TURNS_PER_CALL = 500;

/** Writes items. Their keys make a second import of the same file an update of what changed. */
export async function writeImportedItems(
  items: AsyncIterable<ImportItem>,
  varve: Pick<Varve, 'memory' | 'conversation'>,
  target: IngestTarget,
): Promise<ImportReport> {
  const report: ImportReport = {
    added: 0,
    updated: 0,
    unchanged: 0,
    withoutVector: 0,
    turns: 0,
    deleted: 0,
    differingIds: [],
    scopes: new Map(),
    memoryIds: new Map(),
  };
  const memories = createMemoryBatch(varve, target, report);
  const deletedTurns = new Set<string>();
  let waiting: TurnItem[] = [];
  const flush = async (): Promise<void> => {
    await appendTurns(varve, target, { turns: waiting, report, deletedTurns });
    waiting = [];
  };
  const linked: MemoryItem[] = [];
  for await (const item of items) {
    if (item.kind === 'memory' && isLinked(item)) {
      linked.push(item);
      continue;
    }
    if (item.kind === 'memory') {
      await memories.add(item);
      continue;
    }
    const [first] = waiting;
    const full = waiting.length >= TURNS_PER_CALL;
    if (full || (first !== undefined && first.sessionId !== item.sessionId)) await flush();
    waiting.push(item);
  }
  await flush();
  await memories.flush();
  report.unchanged += await writeExtracted(linked, {
    deleted: deletedTurns,
    find: async (item) =>
      (await isKnown(varve, target.tenant, item))
        ? (item.id ?? null)
        : extractedId(varve, target.tenant, item),
    add: (some) => addLinked(varve, target, { linked: some, report }),
  });
  return report;
}

async function appendTurns(
  varve: Pick<Varve, 'conversation'>,
  { tenant, identifiers }: IngestTarget,
  {
    turns,
    report,
    deletedTurns,
  }: { turns: readonly TurnItem[]; report: ImportReport; deletedTurns: Set<string> },
): Promise<void> {
  const [first] = turns;
  if (first === undefined) return;
  const { sessionId } = first;
  const { appended, skipped = [] } = await varve.conversation.append({
    tenant,
    sessionId,
    // With these, later sessions of the user or the project find the turns.
    identifiers: first.identifiers ?? identifiers,
    turns: turns.map(({ id, role, text, at, utcOffset, ...turn }) => ({
      ...spokenAndCalled({ id, role, text, at, utcOffset, ...turn }),
      id,
      role,
      content: text,
      at: isoTime({ at, utcOffset }),
    })),
  });
  const idsOf = (which: (typeof skipped)[number]['reason']): readonly string[] =>
    skipped.filter(({ reason }) => reason === which).map(({ id }) => id);
  const [deleted, differing] = [idsOf('Deleted'), idsOf('Differs')];
  for (const turnId of deleted) deletedTurns.add(turnKey({ sessionId, turnId }));
  report.turns += appended;
  report.deleted += deleted.length;
  report.differingIds.push(...differing);
  report.unchanged += turns.length - appended - deleted.length - differing.length;
  countScope(report, 'session', { sessionId });
}

interface IngestTarget {
  readonly tenant: string;
  /** Identifiers of the sessions, and of memories whose input names no layer. */
  readonly identifiers: Identifiers;
}

export interface ImportReport {
  added: number;
  updated: number;
  unchanged: number;
  /** Added memories without a vector, since the embedder did not answer. */
  withoutVector: number;
  turns: number;
  /** Turns that were deleted before, and stay so. */
  deleted: number;
  /** Ids of turns that stand for another text, which stays. */
  readonly differingIds: string[];
  /** Scopes that were written to, by layer and identifier, in the order of first use. */
  readonly scopes: Map<string, { readonly layer: Layer; readonly identifiers: Identifiers }>;
  /** Ids of the added memories, in order, by key if the input has one. */
  readonly memoryIds: Map<string, string>;
}

/** Counts a memory that was added, and its scope. */
export function countMemory(
  report: ImportReport,
  { layer, identifiers }: { layer: Layer; identifiers: Identifiers },
  { id, key }: { id: string; key: string | null },
): void {
  report.added += 1;
  report.memoryIds.set(key ?? id, id);
  countScope(report, layer, identifiers);
}

/** Adds a scope to the report of an import. */
function countScope(report: ImportReport, layer: Layer, identifiers: Identifiers): void {
  const key = `${layer}/${identifiers[IDENTIFIER_OF[layer]] ?? ''}`;
  report.scopes.set(key, { layer, identifiers });
}

/**
 * Writes the extracted memories of an export together with their links to turns. Deleting a turn
 * then also deletes its memories, as it did in the installation that wrote the export.
 */
import { VarveError } from '#core/errors.ts';
import { chunked } from '#core/chunks-and-pages.ts';
import type { MemoryItem } from './import-item.ts';
import type { Varve } from '../open-varve.ts';

/** Memories of one call. */
const WRITTEN_AT_ONCE = 200;

/** A memory to write, and what it does to those written before. */
export interface LinkedMemory {
  readonly item: MemoryItem;
  readonly links: { readonly supersedes: string[]; readonly repeats?: string };
}

interface ExtractedWrite {
  /** Turns that were deleted where the import goes, by `turnKey`. */
  readonly deleted: ReadonlySet<string>;
  /** Returns the id that a memory has where the import goes; null if it is not there. */
  readonly find: (item: MemoryItem) => Promise<string | null>;
  /** Adds memories and returns their ids, in their order. */
  readonly add: (memories: readonly LinkedMemory[]) => Promise<readonly string[]>;
}

/** Names a turn by its session and its id. */
export function turnKey({ sessionId, turnId }: NonNullable<MemoryItem['extracted']>): string {
  return JSON.stringify([sessionId, turnId]);
}

/** Whether a memory of the input waits until all turns are written. */
export function isLinked({ extracted, supersededBy }: MemoryItem): boolean {
  return extracted !== undefined || supersededBy !== undefined;
}

/**
 * Writes each memory after those that it ends, and a repeat after what it repeats. Leaves out what
 * is there already, what a deleted turn said, and what only such a memory had ended.
 * @returns how many were there already
 */
export async function writeExtracted(
  items: readonly MemoryItem[],
  { deleted, find, add }: ExtractedWrite,
): Promise<number> {
  const idOf = ({ id = '' }: MemoryItem) => id;
  const byId = new Map(items.map((item) => [idOf(item), item]));
  const endedBy = Map.groupBy(
    items.filter(({ isRepeat }) => isRepeat !== true),
    ({ supersededBy }) => supersededBy,
  );
  const written = new Map<string, string>();
  for (const some of chunked(items, WRITTEN_AT_ONCE)) {
    const found = await Promise.all(some.map(find));
    for (const [place, item] of some.entries()) {
      const id = found[place] ?? null;
      if (id !== null) written.set(idOf(item), id);
    }
  }
  const unchanged = written.size;
  const isNew = (item: MemoryItem): boolean => {
    const { extracted } = item;
    if (written.has(idOf(item))) return false;
    if (extracted !== undefined) return !deleted.has(turnKey(extracted));
    const by = extractedThatEnded(item, byId);
    return by !== null && isNew(by);
  };
  const waiting = new Map(items.filter(isNew).map((item) => [idOf(item), item]));
  const isReady = (item: MemoryItem): boolean => {
    const ended = (endedBy.get(idOf(item)) ?? []).map(idOf);
    const before = item.isRepeat === true ? [...ended, item.supersededBy ?? ''] : ended;
    return !before.some((id) => waiting.has(id));
  };
  // Each round writes at least one memory.
  for (let round = 0; round < items.length && waiting.size > 0; round += 1) {
    const ready = [...waiting.values()].filter(isReady).slice(0, WRITTEN_AT_ONCE);
    if (ready.length === 0) throw endInCircle([...waiting.keys()]);
    const ids = await add(
      ready.map((item) => {
        const { supersededBy = '', isRepeat = false } = item;
        const repeats = isRepeat ? written.get(supersededBy) : undefined;
        const ended = endedBy.get(idOf(item)) ?? [];
        const supersedes = ended.flatMap((each) => written.get(idOf(each)) ?? []);
        return { item, links: { supersedes, ...(repeats === undefined ? {} : { repeats }) } };
      }),
    );
    for (const [place, item] of ready.entries()) {
      written.set(idOf(item), ids[place] ?? '');
      waiting.delete(idOf(item));
    }
  }
  return unchanged;
}

/** Returns the id of a memory that came from the same turn in the same words; null without one. */
export async function extractedId(
  { memory }: Pick<Varve, 'memory'>,
  tenant: string,
  { layer, identifiers, extracted, text }: MemoryItem,
): Promise<string | null> {
  if (extracted === undefined || layer === null) return null;
  const { memories } = await memory.list({
    tenant,
    identifiers,
    layers: [layer],
    latestOnly: false,
    markOutdated: false,
    filter: {
      and: [
        { field: 'session', eq: extracted.sessionId },
        { field: 'source', eq: extracted.turnId },
      ],
    },
  });
  return memories.find(({ content }) => content === text)?.id ?? null;
}

/** Returns the first extracted one of the memories that ended one another; null without one. */
function extractedThatEnded(
  { supersededBy }: MemoryItem,
  byId: ReadonlyMap<string, MemoryItem>,
): MemoryItem | null {
  const seen = new Set<string>();
  let by = byId.get(supersededBy ?? '');
  while (by !== undefined && by.extracted === undefined && !seen.has(by.id ?? '')) {
    seen.add(by.id ?? '');
    by = byId.get(by.supersededBy ?? '');
  }
  return by?.extracted === undefined ? null : by;
}

function endInCircle(ids: readonly string[]): VarveError {
  return new VarveError(
    'INVALID_INPUT',
    `The memories ${ids.slice(0, 3).join(', ')} of the file end each other. Import the file as ` +
      '`varve export` wrote it.',
  );
}

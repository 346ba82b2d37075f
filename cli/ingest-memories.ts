/** Imported memories to one tenant, many in a call; keys make a second import an update. */
import type { ItemFailure } from '#api/operations/memory.ts';
import { VarveError } from '#core/errors.ts';
import type { MemoryItem } from './import/item.ts';
import { noteMemory, noteScope, type IngestReport, type IngestTarget } from './ingest-report.ts';
import type { Varve } from './open-varve.ts';

const MEMORIES_PER_CALL = 200;
/** Characters of one call: three bytes each at most, well below what the API takes. */
const CHARACTERS_PER_CALL = 500_000;

export interface MemoryBatch {
  /** Keeps an item until there are enough for a call. */
  add(item: MemoryItem): Promise<void>;
  flush(): Promise<void>;
}

export function createMemoryBatch(
  varve: Pick<Varve, 'memory'>,
  target: IngestTarget,
  report: IngestReport,
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
  { tenant, projectId }: IngestTarget,
  { items, report }: { items: readonly MemoryItem[]; report: IngestReport },
): Promise<void> {
  const memories = items.map(({ text: content, key, at, tags, ...item }) => ({
    layer: item.layer ?? 'project',
    identifiers: item.layer === null ? { projectId } : item.identifiers,
    content,
    metadata: JSON.parse(JSON.stringify(item.metadata)) as Record<string, string>,
    tags: [...tags],
    deduplicate: 'Exact' as const,
    ...(key === null ? {} : { key }),
    ...(at === null ? {} : { at }),
  }));
  const answer = await varve.memory.bulkAdd({ tenant, memories });
  for (const [place, memory] of memories.entries()) {
    const outcome = answer.items[place];
    if (outcome?.ok !== true) throw failureOf(outcome);
    const { id, version, deduplicated } = outcome;
    if (version === 1 && !deduplicated) {
      noteMemory(report, memory, { id, key: memory.key ?? null });
      continue;
    }
    noteScope(report, memory.layer, memory.identifiers);
    if (deduplicated) report.unchanged += 1;
    else report.updated += 1;
  }
}

function failureOf(failure: ItemFailure | undefined): VarveError {
  if (failure === undefined) {
    return new VarveError('CORRUPT', 'An item of a call has no answer.');
  }
  const { code, message, details } = failure.error;
  return new VarveError(code, message, { details });
}

/**
 * What documents of an older schema or another analyzer lack, made at open. Forward only, in
 * bounded batches, repeatable, and by several processes at once: a document that somebody else
 * changed in between is looked at again.
 */
import type { Binary } from 'mongodb';

import { VarveError } from '#core/errors.ts';
import type { TextAnalyzer } from '#core/ports/text-analyzer.ts';
import type { Memory } from '#core/records/memory.ts';
import { utf8Bytes } from '#core/text.ts';

import { decodeMemory, searched, type MemoryDocument } from './memory-document.ts';
import type { ChangeDocuments } from './memory-history.ts';
import type { ScopeDocument } from './scope-document.ts';
import type { Table } from './table.ts';
import { vectorKey } from './vectors.ts';
import { TOUCHED_MAX } from './write-intent.ts';

/** Documents fetched and written at once. */
const BATCH_MAX = 200;
/** A database of 200 million memories would take days and is not opened so. */
const BATCHES_MAX = 1_000_000;

export interface MigrationTables {
  readonly memories: Table<MemoryDocument>;
  readonly scopes: Table<ScopeDocument>;
  readonly changes: ChangeDocuments;
}

/** A memory of the first schema had one vector, beside its generation. */
type Older = MemoryDocument & { readonly vector?: Binary | null };

/** Fields that scopes of the first schema lack; their bytes are counted with the memories. */
export async function migrateScopes({ scopes }: MigrationTables): Promise<void> {
  const older = { revision: { $exists: false } };
  const change = { $set: { revision: 0, touches: 0, touched: [], 'record.sourceBytes': 0 } };
  await scopes.updateAll(older, change);
}

/** Analyses memories of another revision; answers how many. */
export async function analyseMemories(
  { memories, scopes }: MigrationTables,
  analyzer: TextAnalyzer,
): Promise<number> {
  // Asked across tenants, at open alone.
  const other = { analyzer: { $ne: analyzer.revision }, state: { $ne: 'void' } };
  let analysed = 0;
  for (let batches = 0; batches < BATCHES_MAX; batches += 1) {
    const found = (await memories.select(other, { limit: BATCH_MAX })) as readonly Older[];
    if (found.length === 0) break;
    const writes = found.flatMap((document) => {
      const change = changeFor(document, analyzer);
      const { _id, token, version } = document;
      return change === null ? [] : [{ condition: { _id, token, version }, change }];
    });
    const changed = await memories.writeMany(writes);
    await tellScopes(scopes, found);
    // What can't be read stays as it is, and says so to whoever asks for it.
    if (changed === 0) break;
    analysed += changed;
  }
  return analysed;
}

function changeFor(document: Older, analyzer: TextAnalyzer): Record<string, unknown> | null {
  const { generation, vector, vectors } = document;
  const memory = readable({ ...document, vectors: vectors ?? {} });
  if (memory === null) return null;
  const isOlder = vectors === undefined;
  const own = generation === null || vector === null ? {} : { [vectorKey(generation)]: vector };
  const generations = Object.keys(own).length === 0 ? [] : [generation];
  return {
    $set: {
      ...searched(memory, analyzer),
      ...(isOlder ? { vectors: own, generations, change: null } : {}),
    },
    ...(isOlder ? { $unset: { vector: '' } } : {}),
  };
}

/** Null for a damaged document, which is not to keep all others from being opened. */
function readable(document: MemoryDocument): Memory | null {
  try {
    return decodeMemory(document);
  } catch (error) {
    if (error instanceof VarveError && error.code === 'CORRUPT') return null;
    throw error;
  }
}

/** Who keeps an index of the scope reads it anew, and bytes that were never counted are counted. */
async function tellScopes(
  scopes: MigrationTables['scopes'],
  documents: readonly Older[],
): Promise<void> {
  const bytesOf = new Map<string, { _id: ScopeDocument['_id']; bytes: number }>();
  for (const document of documents) {
    const { _id, layer, scopeId, vectors, counted, record } = document;
    const place = { tenant: _id.tenant, layer, scopeId };
    const key = JSON.stringify(place);
    const isUncounted = vectors === undefined && counted;
    const content = record?.['content'];
    const own = isUncounted && typeof content === 'string' ? utf8Bytes(content) : 0;
    bytesOf.set(key, { _id: place, bytes: (bytesOf.get(key)?.bytes ?? 0) + own });
  }
  await scopes.writeMany(
    [...bytesOf.values()].map(({ _id, bytes }) => ({
      condition: { _id },
      change: { $inc: { touches: TOUCHED_MAX + 1, revision: 1, 'record.sourceBytes': bytes } },
    })),
  );
}

/**
 * The history of memories, without a write that could be half done: the change that made a memory
 * what it is stands in its own document and is written with it. Before the next change overwrites
 * it, it is copied to where earlier ones are; whoever copies it copies the same.
 */
import { memoryChange, type MemoryStep } from '#core/memory-history.ts';
import type { WriteRules } from '#core/ports/write-rules.ts';
import type { MemoryChange } from '#core/records/memory-change.ts';

import { memoryId, type MemoryDocument, type MemoryDocuments } from './memory-document.ts';
import { decodeRecord, encodeRecord, type Fields } from './record-document.ts';
import { byId, type Table } from './table.ts';

export interface ChangeDocument {
  readonly _id: { readonly tenant: string; readonly memoryId: string; readonly version: number };
  readonly record: Fields;
}

export type ChangeDocuments = Table<ChangeDocument>;

export interface HistoryTables {
  readonly memories: MemoryDocuments;
  readonly changes: ChangeDocuments;
}

const SHAPE = {
  name: 'memoryChanges',
  key: ['tenant', 'memoryId', 'version'],
  free: ['before'],
} as const;

/** A step of a memory as its document, or the mark of its deletion, bears it. */
export function changeOf(step: MemoryStep, rules: WriteRules): Fields {
  const change = memoryChange(step, rules);
  const { record } = encodeRecord<MemoryChange>(SHAPE, change);
  return { version: change.version, ...record };
}

/**
 * To be called before a write that puts another change in the place of those that were read, and
 * with the marks of deletions before their scope knows of them, since the marks go with that.
 */
export async function keepChanges(
  { changes }: Pick<HistoryTables, 'changes'>,
  documents: readonly Pick<MemoryDocument, '_id' | 'change'>[],
): Promise<void> {
  const kept = documents.flatMap((document) => changeDocument(document));
  await changes.writeMany(kept.map((put) => ({ put })));
}

/** Newest first. What was copied and is not overwritten yet is told once. */
export async function readHistory(
  { memories, changes }: HistoryTables,
  { tenant, id }: { tenant: string; id: string },
  { beforeVersion, limit }: { beforeVersion: number | null; limit: number },
): Promise<readonly MemoryChange[]> {
  if (limit <= 0) return [];
  const document = await memories.first(byId(memoryId(tenant, id)));
  const newest = document === null ? null : changeOfDocument(document);
  const top = Math.min(newest?.version ?? Infinity, beforeVersion ?? Infinity);
  const earlier = {
    '_id.tenant': tenant,
    '_id.memoryId': id,
    ...(top === Infinity ? {} : { '_id.version': { $lt: top } }),
  };
  const found = await changes.select(earlier, { sort: { '_id.version': -1 }, limit });
  const told = found.map((each) => decodeRecord<MemoryChange>(SHAPE, each));
  const isFirst = newest !== null && (beforeVersion === null || newest.version < beforeVersion);
  return (isFirst ? [newest, ...told] : told).slice(0, limit);
}

function changeOfDocument(document: MemoryDocument): MemoryChange | null {
  const [kept] = changeDocument(document);
  return kept === undefined ? null : decodeRecord<MemoryChange>(SHAPE, kept);
}

function changeDocument({ _id, change }: Pick<MemoryDocument, '_id' | 'change'>): ChangeDocument[] {
  if (change === null) return [];
  const { version, ...record } = change;
  const { tenant, id } = _id;
  return [{ _id: { tenant, memoryId: id, version: Number(version) }, record }];
}

/** Reads documents without content, for scope indexes. */
import type { Memory } from '#core/records/memory.ts';
import { putEntry, type IndexEntry, type ScopeIndex } from '#core/search/scope-index.ts';
import { NEVER } from '#store/record-kinds-and-indexes.ts';
import {
  metadataOf,
  type MemoryDocument,
  type MemoryDocuments,
  type DocumentFilter,
  vectorsOf,
} from '../memory-documents.ts';

/** Memories that a search may find at some time. */
export const FINDABLE: DocumentFilter = { 'c.state': { $in: ['active', 'superseded'] } };

const FIELDS = ['c', 'tags', 'terms', 'vectors', 'generations', 'metadata'] as const;

/** Yields pages of documents in the order of ids. */
export async function* pagesWithoutContent(
  memories: MemoryDocuments,
  condition: DocumentFilter,
  pageMax: number,
): AsyncIterable<readonly MemoryDocument[]> {
  const selection = { sort: { '_id.id': 1 }, limit: pageMax, fields: FIELDS } as const;
  for (let after = ''; ;) {
    const page = await memories.select({ ...condition, '_id.id': { $gt: after } }, selection);
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageMax) return;
    after = last._id.id;
  }
}

export async function documentsWithoutContent(
  memories: MemoryDocuments,
  condition: DocumentFilter,
  limit: number,
): Promise<readonly MemoryDocument[]> {
  return memories.select(condition, { limit, fields: FIELDS });
}

export function putDocument(index: ScopeIndex, document: MemoryDocument): void {
  putEntry(index, entryOf(document));
}

function entryOf(document: MemoryDocument): IndexEntry {
  const { _id, c: columns = {}, tags, terms } = document;
  const hiddenAt = Number(columns['hiddenAt']);
  return {
    id: _id.id,
    // The columns were written from a parsed memory, so the casts are safe.
    kind: columns['kind'] as Memory['kind'],
    state: columns['state'] as Memory['state'],
    tags: [...tags],
    metadata: metadataOf(document),
    validFrom: Number(columns['validFrom']),
    endsAt: hiddenAt === NEVER ? null : hiddenAt,
    terms,
    vectors: vectorsOf(document),
  };
}

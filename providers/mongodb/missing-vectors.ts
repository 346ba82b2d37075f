/** Finds which memories have vectors of a generation, and how far a change of model is. */
import type { EmbeddingRecords } from '#core/ports/embedding-records.ts';
import { contentStartOf } from '#store/record-kinds-and-indexes.ts';
import type { MemorySearch } from '#store/memory-search.ts';
import {
  decodeMemory,
  type MemoryDocument,
  type MemoryDocuments,
  vectorOf,
  vectorPath,
} from './memory-documents.ts';

type VectorRecords = Pick<EmbeddingRecords, 'cached' | 'missing' | 'progress'> &
  Pick<MemorySearch, 'othersWithVector'>;

export function vectorRecords(memories: MemoryDocuments): VectorRecords {
  return {
    async cached(tenant, { generation, contentHashes }) {
      const having = {
        '_id.tenant': tenant,
        'c.contentStart': { $in: contentHashes.map(contentStartOf) },
        'c.contentHash': { $in: [...contentHashes] },
        generations: generation,
      };
      // One memory for each content.
      const chosen = await memories.aggregate([
        { $match: having },
        { $group: { _id: '$c.contentHash', memory: { $first: '$_id' } } },
      ]);
      const ids = chosen.map((row) => row['memory'] as MemoryDocument['_id']);
      const fields = ['c.contentHash', vectorPath(generation)];
      const selection = { limit: ids.length, fields };
      const found = await memories.select({ ...having, _id: { $in: ids } }, selection);
      return new Map(
        found.flatMap((document): [string, number[]][] => {
          const vector = vectorOf(document, generation);
          return vector === null ? [] : [[String(document.c?.['contentHash']), [...vector]]];
        }),
      );
    },
    async missing(tenant, { generation, after, limit, now }) {
      const lacking = { ...live(tenant, now), generations: { $ne: generation } };
      const later = { ...lacking, '_id.id': { $gt: after ?? '' } };
      const found = await memories.select(later, { sort: { '_id.id': 1 }, limit });
      return found.flatMap((document) => {
        const memory = decodeMemory(document);
        if (memory === null) return [];
        const { id, content, contentHash, tokenCount } = memory;
        return [{ id, content, contentHash, tokenCount }];
      });
    },
    async progress(tenant, { generation, now }) {
      const done = await memories.count({ ...live(tenant, now), generations: generation });
      const [row] = await memories.aggregate([
        { $match: { ...live(tenant, now), generations: { $ne: generation } } },
        { $group: { _id: null, missing: { $sum: 1 }, tokens: { $sum: '$c.tokenCount' } } },
      ]);
      const missing = Number(row?.['missing'] ?? 0);
      return { done, missing, missingTokens: Number(row?.['tokens'] ?? 0) };
    },
    async othersWithVector(tenant, generation, limit) {
      const having = {
        '_id.tenant': tenant,
        generations: generation,
        'c.embeddingGeneration': { $ne: generation },
      };
      const sort = { '_id.id': 1 } as const;
      const found = await memories.select(having, { limit, sort, fields: ['_id'] });
      return found.map(({ _id }) => ({ id: _id.id }));
    },
  };
}

function live(tenant: string, now: number): Record<string, unknown> {
  return { '_id.tenant': tenant, 'c.liveUntil': { $gt: now } };
}

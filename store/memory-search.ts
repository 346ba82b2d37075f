/**
 * What a driver does for memories besides keeping their records: it finds candidates by text and by
 * vector. Each driver has its own code for this, since each database has its own indexes.
 */
import type { EmbeddingRecords } from '#core/ports/embedding-records.ts';
import type { MemoryRecords } from '#core/ports/memory-records.ts';

export interface MemorySearch
  extends
    Pick<MemoryRecords, 'list' | 'search'>,
    Pick<EmbeddingRecords, 'cached' | 'missing' | 'progress'> {
  /**
   * Returns memories of a tenant that have a vector of a generation but another one as their own,
   * first by id.
   */
  othersWithVector(
    tenant: string,
    generation: string,
    limit: number,
  ): Promise<readonly { readonly id: string }[]>;
}

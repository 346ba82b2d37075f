/**
 * What a driver does for memories beside their records: their text and vector candidates. It is
 * the driver's own, since each database has its indexes.
 */
import type { EmbeddingRecords } from '#core/ports/embedding-records.ts';
import type { MemoryRecords } from '#core/ports/memory-records.ts';

export interface MemorySearch
  extends
    Pick<MemoryRecords, 'list' | 'search'>,
    Pick<EmbeddingRecords, 'cached' | 'missing' | 'progress'> {
  /**
   * Memories of a tenant that have a vector of a generation while another one is their own, the
   * first by their ids.
   */
  othersWithVector(
    tenant: string,
    generation: string,
    limit: number,
  ): Promise<readonly { readonly id: string }[]>;
}

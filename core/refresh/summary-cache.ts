/**
 * Caches summaries in one process (design 6.10). Owner: the serving process. Key: scope and
 * audience. An entry is valid while the scope's record, which is read before every use, has the
 * version that it had when the summary was read; each commit raises the version. The creation time
 * must match too, because versions restart after a tenant is erased. Bounded: the least recently
 * used entry is evicted.
 */
import { keepNewest } from '../keep-newest.ts';
import type { SummaryRecords } from '../ports/scope-records.ts';
import type { ScopeRecord } from '../records/scope-record.ts';
import type { Summary } from '../records/summary.ts';
import { scopeKey } from '../scope-key.ts';

/** About 10 KB each with a vector of 384 dimensions, so 10 MB. */
export const SUMMARIES_KEPT_MAX = 1_000;

export interface SummaryCache {
  /** Returns the current summary of a scope whose record was read just before. */
  get(record: ScopeRecord, audience: string): Promise<{ summary: Summary | null; isHit: boolean }>;
}

interface Kept extends Pick<ScopeRecord, 'version' | 'generatedAt'> {
  readonly summary: Summary | null;
}

export function createSummaryCache(summaries: Pick<SummaryRecords, 'get'>): SummaryCache {
  const kept = new Map<string, Kept>();
  return {
    async get(record, audience) {
      const key = JSON.stringify([scopeKey(record), audience]);
      const known = kept.get(key);
      const { version, generatedAt } = record;
      if (known?.version === version && known.generatedAt === generatedAt) {
        keepNewest(kept, SUMMARIES_KEPT_MAX, [key, known]);
        return { summary: known.summary, isHit: true };
      }
      const summary = await summaries.get(record, audience);
      keepNewest(kept, SUMMARIES_KEPT_MAX, [key, { version, generatedAt, summary }]);
      return { summary, isHit: false };
    },
  };
}

/** Refresh requests: how many a tenant has made, and how many are acknowledged. */
import type { Clock } from '#core/ports/platform.ts';
import type { RefreshRequest, RefreshRequestRecords } from '#core/ports/store.ts';
import type { RefreshRequestRecord } from '#core/records/refresh-request.ts';
import { REFRESH_REQUESTS } from './record-kinds-and-indexes.ts';
import type { StoreParts } from './store-parts.ts';

export function refreshRequestRecords(
  { driver, writes }: StoreParts,
  clock: Clock,
): RefreshRequestRecords {
  return {
    get: async (tenant) => requestOf(await driver.get(REFRESH_REQUESTS, [tenant])),
    want: (tenant) =>
      writes.run(REFRESH_REQUESTS, [tenant], ({ record, set }) => {
        const { wanted, acknowledged } = requestOf(record);
        const edge = wanted === acknowledged;
        const wantedAt = edge || record === null ? clock() : record.wantedAt;
        set({ tenant, wanted: wanted + 1, acknowledged, wantedAt });
        return { wanted: wanted + 1, acknowledged, edge };
      }),
    acknowledge: (tenant, seen) =>
      writes.run(REFRESH_REQUESTS, [tenant], ({ record, set }) => {
        if (requestOf(record).wanted !== seen) return false;
        if (record !== null) set({ ...record, acknowledged: seen });
        return true;
      }),
  };
}

function requestOf(record: RefreshRequestRecord | null): RefreshRequest {
  return { wanted: record?.wanted ?? 0, acknowledged: record?.acknowledged ?? 0 };
}

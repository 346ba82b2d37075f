/** Wakes: how often a tenant's refresh was asked for, and how far it has answered. */
import { VarveError } from '#core/errors.ts';
import type { Clock } from '#core/ports/platform.ts';
import type { Wake, WakeRecords } from '#core/ports/wake-records.ts';

import { byId, type Stored, type Table } from './table.ts';

export interface WakeDocument extends Stored, Wake {
  /** When the oldest unanswered wish came: by it tenants wait in line. */
  readonly wantedAt: number;
  readonly open: boolean;
}

export type WakeDocuments = Table<WakeDocument>;

/** Tries against others that want or acknowledge in between. */
const TRIES_MAX = 64;

export function wakeRecords(wakes: WakeDocuments, clock: Clock): WakeRecords {
  return {
    async get(tenant) {
      const found = await wakes.first(byId({ tenant }));
      return { wanted: found?.wanted ?? 0, acknowledged: found?.acknowledged ?? 0 };
    },
    want: (tenant) => want(wakes, tenant, clock()),
    async acknowledge(tenant, seen) {
      const expected = { ...byId({ tenant }), wanted: seen };
      if (await wakes.update(expected, { $set: { acknowledged: seen, open: false } })) return true;
      return seen === 0 && (await wakes.first(byId({ tenant }))) === null;
    },
  };
}

/** The first wish sets the time, a later one does not: two conditions, of which one holds. */
async function want(
  wakes: WakeDocuments,
  tenant: string,
  wantedAt: number,
): Promise<Wake & { edge: boolean }> {
  const more = { $inc: { wanted: 1 } };
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const later = await wakes.updated({ ...byId({ tenant }), open: true }, more);
    if (later !== null) return wish(later, false);
    const first = { ...more, $set: { wantedAt, open: true } };
    const edge = await wakes.updated({ ...byId({ tenant }), open: false }, first);
    if (edge !== null) return wish(edge, true);
    const made = { _id: { tenant }, wanted: 1, acknowledged: 0, wantedAt, open: true };
    if (await wakes.insert(made)) return wish(made, true);
  }
  throw new VarveError('CONFLICT', 'Others kept waking the tenant; try again.');
}

function wish({ wanted, acknowledged }: Wake, edge: boolean): Wake & { edge: boolean } {
  return { wanted, acknowledged, edge };
}

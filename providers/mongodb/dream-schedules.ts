/** When the DeepDreams of tenants come next. */
import type { DreamScheduleRecords } from '#core/ports/dream-records.ts';
import { dueAtOf, type DreamSchedule } from '#core/records/dream-schedule.ts';

import { decodeRecord, encodeRecord, keyOf, type Fields } from './record-document.ts';
import { NEVER } from './scope-document.ts';
import { byId, type Table } from './table.ts';

export interface DreamScheduleDocument {
  readonly _id: Pick<DreamSchedule, 'tenant' | 'name'>;
  readonly record: Fields & { readonly version: number };
  readonly dueAt: number;
}

/** Schedules of one tenant; a policy declares far fewer. */
const LISTED_MAX = 1_000;

const SHAPE = { name: 'dreamSchedules', key: ['tenant', 'name'] } as const;

export function dreamScheduleRecords(
  schedules: Table<DreamScheduleDocument>,
): DreamScheduleRecords {
  return {
    async get(tenant, name) {
      const found = await schedules.first(byId(keyOf(SHAPE, { tenant, name })));
      return found === null ? null : decode(found);
    },
    async list(tenant) {
      const selection = { sort: { '_id.name': 1 }, limit: LISTED_MAX } as const;
      return (await schedules.select({ '_id.tenant': tenant }, selection)).map(decode);
    },
    async due({ now, limit }) {
      const sort = { dueAt: 1, '_id.tenant': 1, '_id.name': 1 } as const;
      return (await schedules.select({ dueAt: { $lte: now } }, { sort, limit })).map(decode);
    },
    async put(schedule) {
      const document = encode(schedule);
      if (schedule.version === 1) return schedules.insert(document);
      const before = { ...byId(document._id), 'record.version': schedule.version - 1 };
      return schedules.replace(before, document);
    },
    async remove(tenant, name, policyGeneration) {
      const id = byId(keyOf(SHAPE, { tenant, name }));
      const notLater = { 'record.policyGeneration': { $lte: policyGeneration } };
      if (await schedules.remove({ ...id, ...notLater })) return true;
      return (await schedules.first(id)) === null;
    },
  };
}

function encode(schedule: DreamSchedule): DreamScheduleDocument {
  const { record } = encodeRecord<DreamSchedule>(SHAPE, schedule);
  return {
    _id: keyOf<DreamSchedule>(SHAPE, schedule) as DreamScheduleDocument['_id'],
    record: { ...record, version: schedule.version },
    dueAt: dueAtOf(schedule) ?? NEVER,
  };
}

function decode(document: DreamScheduleDocument): DreamSchedule {
  return decodeRecord<DreamSchedule>(SHAPE, document);
}

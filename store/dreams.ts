/** Dreams: when each DeepDream is next due, and the proposals that were made. */
import type { DreamScheduleRecords, ProposalRecords } from '#core/ports/store.ts';
import { equal } from './storage-driver.ts';
import { DREAM_SCHEDULES, PROPOSALS } from './record-kinds-and-indexes.ts';
import { putVersion, type StoreParts } from './store-parts.ts';

/** A tenant has far fewer schedules: its resources may declare only a few. */
const SCHEDULES_LISTED_MAX = 10_000;

export function dreamScheduleRecords(parts: StoreParts): DreamScheduleRecords {
  const { driver, writes } = parts;
  return {
    get: (tenant, name) => driver.get(DREAM_SCHEDULES, [tenant, name]),
    list: (tenant) =>
      driver.scan(DREAM_SCHEDULES, {
        where: equal({ tenant }),
        limit: SCHEDULES_LISTED_MAX,
      }),
    due: ({ now, limit }) =>
      driver.scan(DREAM_SCHEDULES, {
        where: [['dueAt', '<=', now]],
        order: ['dueAt', 'tenant', 'name'],
        limit,
      }),
    put: (schedule) =>
      putVersion(parts, DREAM_SCHEDULES, [schedule.tenant, schedule.name], schedule),
    remove: (tenant, name, policyGeneration) =>
      writes.run(DREAM_SCHEDULES, [tenant, name], ({ record, set }) => {
        if (record === null) return true;
        if (record.policyGeneration > policyGeneration) return false;
        set(null);
        return true;
      }),
  };
}

export function proposalRecords(parts: StoreParts): ProposalRecords {
  const { driver } = parts;
  return {
    get: (tenant, id) => driver.get(PROPOSALS, [tenant, id]),
    list: (tenant, { limit, before, subject, state }) =>
      driver.scan(PROPOSALS, {
        where: [
          ...equal({ tenant }, { subject, state }),
          ...(before === undefined ? [] : [['id', '<', before] as const]),
        ],
        order: ['id'],
        descending: true,
        limit,
      }),
    approved: ({ before, limit }) =>
      driver.scan(PROPOSALS, {
        where: [['pendingAt', '<', before]],
        order: ['pendingAt', 'tenant', 'id'],
        limit,
      }),
    put: (proposal) => putVersion(parts, PROPOSALS, [proposal.tenant, proposal.id], proposal),
  };
}

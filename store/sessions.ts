/** Sessions: the conversations of a tenant and their owners. */
import type { SessionRecords } from '#core/ports/store.ts';
import { SESSIONS } from './record-kinds-and-indexes.ts';
import { equal } from './driver-port.ts';
import type { StoreParts } from './store-parts.ts';

export function sessionRecords({ driver, writes }: StoreParts): SessionRecords {
  return {
    get: (tenant, sessionId) => driver.get(SESSIONS, [tenant, sessionId]),
    list: (tenant, { opener, after, limit }) =>
      driver.scan(SESSIONS, {
        index: 'byOpener',
        where: equal({ tenant, opener }),
        order: ['age', 'sessionId'],
        ...(after === null ? {} : { after: [-after.lastAt, after.sessionId] }),
        limit,
      }),
    async ofFlush(tenant, flushId) {
      const where = equal({ tenant, flushId });
      return (await driver.scan(SESSIONS, { index: 'byFlush', where, limit: 1 }))[0] ?? null;
    },
    dueFlushes: ({ tenant, now, limit }) =>
      driver.scan(SESSIONS, {
        where: [...equal({}, { tenant }), ['flushDueAt', '<=', now]],
        order: ['flushDueAt', 'tenant', 'sessionId'],
        limit,
      }),
    change: (tenant, sessionId, change) =>
      writes.run(SESSIONS, [tenant, sessionId], ({ record, set }) => {
        const changed = change(record);
        if (changed !== null) set(changed);
        return changed;
      }),
  };
}

/** Events of a tenant: appended once, however often they are sent, and read in order. */
import type { EventRecords } from '#core/ports/store.ts';
import { EVENTS } from './record-kinds-and-indexes.ts';
import { equal } from './driver.ts';
import type { StoreParts } from './store-parts.ts';

/** Appending an event again changes nothing, so that a retry may. */
export function eventRecords({ driver }: Pick<StoreParts, 'driver'>): EventRecords {
  return {
    async append(event) {
      await driver.insert(EVENTS, event);
    },
    list: (tenant, { afterId, limit }) =>
      driver.scan(EVENTS, {
        where: [...equal({ tenant }), ['id', '>', afterId ?? '']],
        limit,
      }),
  };
}

/** Events of a tenant: each is appended once, however often it is sent, and read in order. */
import type { EventRecords } from '#core/ports/store.ts';
import { EVENTS } from './record-kinds-and-indexes.ts';
import { equal } from './driver-port.ts';
import type { StoreParts } from './store-parts.ts';

/** Appending an event again changes nothing, so that it can be retried. */
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

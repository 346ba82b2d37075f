/** Events, in the order of their ids. */
import type { EventRecords } from '#core/ports/store.ts';

import { equal } from './driver.ts';
import { EVENTS } from './database-schema.ts';
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

/** Events, in the order of their ids. */
import type { EventRecords } from '#core/ports/event-records.ts';

import type { Database } from './database.ts';

/** Appending an event again changes nothing, so that a retry may. */
export function eventRecords(database: Database): EventRecords {
  const { events } = database.tables;
  return {
    append: (event) =>
      database.write(() => {
        if (events.get(event.tenant, event.id) === null) events.put(event);
      }),
    list: (tenant, { afterId, limit }) =>
      database.read(() =>
        events
          .group(tenant)
          .filter(({ id }) => afterId === null || id > afterId)
          .toSorted((a, b) => (a.id < b.id ? -1 : 1))
          .slice(0, limit),
      ),
  };
}

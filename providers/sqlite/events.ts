/** Events, in the order of their ids. */
import type { EventRecords } from '#core/ports/event-records.ts';
import type { EventRecord } from '#core/records/event.ts';

import type { Connection } from './connection.ts';
import { recordTable, type RecordTable } from './record-table.ts';

export type EventTable = RecordTable<EventRecord>;

export function eventTable(connection: Connection): EventTable {
  return recordTable<EventRecord>(connection, {
    name: 'events',
    key: ['tenant', 'id'],
    columns: { tenant: 'tenant', id: 'id', at: 'at', type: 'type' },
  });
}

/** Appending an event again changes nothing, so that a retry may. */
export function eventRecords(connection: Connection, events: EventTable): EventRecords {
  return {
    append: (event) => connection.write(() => void events.insertNew(event)),
    list: (tenant, { afterId, limit }) =>
      connection.read(() =>
        events.select('tenant = ? AND id > ? ORDER BY id LIMIT ?', [tenant, afterId ?? '', limit]),
      ),
  };
}

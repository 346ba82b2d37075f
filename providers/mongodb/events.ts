/** Events, in the order of their ids. */
import type { EventRecords } from '#core/ports/event-records.ts';
import type { EventRecord } from '#core/records/event.ts';

import { decodeRecord, encodeRecord, type Fields } from './record-document.ts';
import { scopeId, type ScopeDocument, type ScopeDocuments } from './scope-document.ts';
import { byId, type Stored, type Table } from './table.ts';

export interface EventDocument extends Stored {
  readonly record: Fields;
}

export type EventDocuments = Table<EventDocument>;

const SHAPE = { name: 'events', key: ['tenant', 'id'], free: ['attributes'] } as const;

/** Appending an event again changes nothing, so that a retry may. */
export function eventRecords(events: EventDocuments): EventRecords {
  return {
    append: async (event) => void (await events.insert(encodeRecord<EventRecord>(SHAPE, event))),
    async list(tenant, { afterId, limit }) {
      const later = { '_id.tenant': tenant, '_id.id': { $gt: afterId ?? '' } };
      const found = await events.select(later, { sort: { '_id.id': 1 }, limit });
      return found.map((document) => decodeRecord<EventRecord>(SHAPE, document));
    },
  };
}

/** Moves the events that a commit left with its scope to where they are listed. Repeatable. */
export async function deliverEvents(
  { events, scopes }: { events: EventDocuments; scopes: ScopeDocuments },
  document: Pick<ScopeDocument, '_id' | 'events'>,
): Promise<void> {
  for (const event of document.events) {
    await events.insert(encodeRecord<EventRecord>(SHAPE, event));
    const change = { $pull: { events: { id: event.id } } };
    await scopes.update(byId(scopeId(document._id)), change);
  }
}

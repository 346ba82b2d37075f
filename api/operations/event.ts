/** The events of a tenant in order, for callers that list and callers that follow. */
import { EventsAnswer, ListEvents, type ShownEvent } from '../schemas/event.ts';
import { operation } from './operation.ts';
import type { EventRecord } from '#core/records/event.ts';
import { authorizeTenant } from '../principal.ts';

export const event = {
  list: operation({
    name: 'event.list',
    kind: 'query',
    summary:
      'Lists what happened in a tenant: refreshes, dreams and operations. Over ' +
      'REST with `Accept: text/event-stream`, it streams what happens from now ' +
      'on.',
    input: ListEvents,
    output: EventsAnswer,
    example: {
      input: { tenant: 'acme', types: ['memory_summary_created'], limit: 1 },
      output: {
        events: [
          {
            id: '019aa5c2-7c1e-7b52-9f0e-6a1f0b1583cb',
            at: 1_795_273_200_000,
            type: 'memory_summary_created',
            attributes: { layer: 'team', sourceCount: 12, facts: 9, trigger: 'Count' },
          },
        ],
        nextAfter: '019aa5c2-7c1e-7b52-9f0e-6a1f0b1583cb',
      },
    },
    role: 'read',
    commands: { none: 'Programs follow events; people read them in the log and the audit.' },
    /** With a filter, a page may have fewer events than the limit. */
    async run({ store }, principal, { tenant, after, limit, ...filter }) {
      authorizeTenant(principal, tenant);
      const page = await store.events.list(tenant, { afterId: after ?? null, limit });
      const last = page.length < limit ? undefined : page.at(-1);
      return { events: shownEvents(page, filter), nextAfter: last?.id ?? null };
    },
  }),
};

export function shownEvents(
  events: readonly EventRecord[],
  { types, layers }: Pick<ListEvents, 'types' | 'layers'>,
): ShownEvent[] {
  const shown = events.filter(({ type, attributes: { layer } }) => {
    if (types !== undefined && !types.includes(type)) return false;
    return layers === undefined || layers.some((each) => each === layer);
  });
  return shown.map(({ id, at, type, attributes }) => ({ id, at, type, attributes }));
}

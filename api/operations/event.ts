/** The operation that reads the events of a tenant: its refreshes, dreams and operations. */
import { listEvents } from '../events.ts';
import { EventsAnswer, ListEvents } from '../schemas/event.ts';
import { operation } from './operation.ts';

export const event = {
  list: operation({
    name: 'event.list',
    kind: 'query',
    summary:
      'What happened in a tenant: refreshes, dreams and operations. Over REST with ' +
      '`Accept: text/event-stream` it is a stream of what happens from now on.',
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
    cost: 'none',
    errors: [],
    commands: { none: 'Programs follow events; people read them in the log and the audit.' },
    run: listEvents,
  }),
};

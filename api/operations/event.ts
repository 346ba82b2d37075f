/** The operation that reads the events of a tenant: its refreshes, dreams and operations. */
import { z } from 'zod';
import { EVENT_ID } from '#core/events/following.ts';
import { Layer } from '#core/layer.ts';
import { EVENT_TYPES } from '#core/records/event.ts';
import { listEvents } from '../events.ts';
import { listOf, Tenant, Time } from './fields.ts';
import { operation } from './operation.ts';

const LIMIT_MAX = 1_000;
const EventType = z.enum(EVENT_TYPES);

const ListEvents = z.strictObject({
  tenant: Tenant,
  after: z
    .string()
    .regex(EVENT_ID, { error: 'expected the id of an event' })
    .optional()
    .describe('Only what came after the event of this id.'),
  types: z.array(EventType).min(1).max(EVENT_TYPES.length).optional(),
  layers: z.array(Layer).min(1).optional().describe('Only what concerns one of these layers.'),
  limit: z.int().min(1).max(LIMIT_MAX).default(100).describe('Events that are looked at.'),
});
export type ListEvents = z.output<typeof ListEvents>;

const ShownEvent = z.object({
  id: z.string().describe('Rises with time.'),
  at: Time,
  type: EventType,
  attributes: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .describe('Ids, counts and outcomes; never memory text.'),
});
export type ShownEvent = z.output<typeof ShownEvent>;

const EventsAnswer = z.object({
  events: listOf(ShownEvent).describe('The oldest first.'),
  nextAfter: z.string().nullable().describe('Null at the end.'),
});
export type EventsAnswer = z.output<typeof EventsAnswer>;

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

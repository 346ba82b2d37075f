/** The input and the answer of the operation on a tenant's events. */
import { z } from 'zod';
import { EVENT_ID } from '#core/events/follow-position.ts';
import { Layer } from '#core/layer.ts';
import { EVENT_TYPES } from '#core/records/event.ts';
import { listOf, Tenant, Time } from './shared-fields.ts';

const LIMIT_MAX = 1_000;
const EventType = z.enum(EVENT_TYPES);

export const ListEvents = z.strictObject({
  tenant: Tenant,
  after: z
    .string()
    .regex(EVENT_ID, { error: 'expected the id of an event' })
    .optional()
    .describe('Only events after the one with this id.'),
  types: z.array(EventType).min(1).max(EVENT_TYPES.length).optional(),
  layers: z.array(Layer).min(1).optional().describe('Only events of these layers.'),
  limit: z
    .int()
    .min(1)
    .max(LIMIT_MAX)
    .default(100)
    .describe('Number of events to read, before filters apply.'),
});
export type ListEvents = z.output<typeof ListEvents>;

const ShownEvent = z.object({
  id: z.string().describe('A UUIDv7: ids sort by time.'),
  at: Time,
  type: EventType,
  attributes: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .describe('Ids, counts and outcomes; never memory text.'),
});
export type ShownEvent = z.output<typeof ShownEvent>;

export const EventsAnswer = z.object({
  events: listOf(ShownEvent).describe('The oldest first.'),
  nextAfter: z.string().nullable().describe('Null on the last page.'),
});

/** The events of a tenant in their order, for callers that ask and callers that follow. */
import type { EventRecord } from '#core/records/event.ts';
import type { ApiPorts } from './api-ports.ts';
import { authorizeTenant, type Principal } from './authorize.ts';
import type { EventsAnswer, ListEvents, ShownEvent } from './schemas/event.ts';

/** A page of the events of a tenant; filtered, it may have fewer than the limit. */
export async function listEvents(
  { store }: ApiPorts,
  principal: Principal,
  { tenant, after, limit, ...filter }: ListEvents,
): Promise<EventsAnswer> {
  authorizeTenant(principal, tenant);
  const page = await store.events.list(tenant, { afterId: after ?? null, limit });
  const last = page.length < limit ? undefined : page.at(-1);
  return { events: shownEvents(page, filter), nextAfter: last?.id ?? null };
}

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

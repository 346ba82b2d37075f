/**
 * The position of a reader that follows the events of a tenant. Events are ordered by id, and ids
 * rise with time. Several processes write, and one that began earlier may end later. Each read
 * therefore repeats the last seconds and omits the events that it has already passed on.
 */
import type { EventRecord } from '../records/event.ts';

/** The longest time from making an event id to storing the event. */
const LATE_MS = 10_000;
/** The most remembered ids of the last seconds; with more events, late ones may be missed. */
const REMEMBERED_MAX = 10_000;
const TIME_DIGITS = 12;
const HEX = 16;

/** The id of an event: a UUIDv7. */
export const EVENT_ID = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/u;

export interface Following {
  /** The id after which the next read begins. */
  after(): string;
  /** Returns the events of a page that were not passed on yet, and remembers them. */
  take(events: readonly EventRecord[]): readonly EventRecord[];
}

interface FollowingFrom {
  /** Only events after this id are requested. */
  readonly after: string | undefined;
  /** The last event over an earlier connection; the seconds before it are read again. */
  readonly last: string | undefined;
}

/** Without either id, follows from now on. */
export function following({ after: wanted, last }: FollowingFrom, now: number): Following {
  let newest = last ?? wanted ?? leastIdAt(now);
  let floor = wanted ?? (last === undefined ? newest : leastIdAt(timeOf(last) - LATE_MS));
  const taken = new Set(last === undefined ? [] : [last]);
  const after = (): string => latest(floor, leastIdAt(timeOf(newest) - LATE_MS));
  return {
    after,
    take(events) {
      const fresh = events.filter(({ id }) => !taken.has(id));
      for (const { id } of fresh) {
        taken.add(id);
        newest = latest(newest, id);
      }
      const from = after();
      for (const id of taken) if (id <= from) taken.delete(id);
      // The next read drops these ids.
      if (taken.size > REMEMBERED_MAX) floor = newest;
      return fresh;
    },
  };
}

/** Returns an id that sorts before all ids of that millisecond or later. */
function leastIdAt(time: number): string {
  const at = Math.max(0, time).toString(HEX).padStart(TIME_DIGITS, '0');
  return `${at.slice(0, 8)}-${at.slice(8)}-7000-8000-${'0'.repeat(TIME_DIGITS)}`;
}

/** Returns the digits before the second dash. */
function timeOf(id: string): number {
  return Number.parseInt(id.replace('-', ''), HEX);
}

function latest(a: string, b: string): string {
  return a > b ? a : b;
}

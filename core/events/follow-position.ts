/**
 * Position of a reader that follows the events of a tenant. Events come in the order of their ids,
 * which rise with time. Several processes write, and one that began earlier may end later; so each
 * read repeats the last seconds and omits the events that it passed on before.
 */
import type { EventRecord } from '../records/event.ts';

/** As long as a writer may take from making an id to having its event kept. */
const LATE_MS = 10_000;
/** Ids of the last seconds that are remembered; of more events none is waited for. */
const REMEMBERED_MAX = 10_000;
const TIME_DIGITS = 12;
const HEX = 16;

/** The id of an event: a UUIDv7. */
export const EVENT_ID = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/u;

export interface Following {
  /** The id behind which the next look begins. */
  after(): string;
  /** Those of a page that were not passed on yet; they are from then on. */
  take(events: readonly EventRecord[]): readonly EventRecord[];
}

export interface FollowingFrom {
  /** Nothing up to this id is wanted. */
  readonly after: string | undefined;
  /** What came last over another connection; the seconds before it are read again. */
  readonly last: string | undefined;
}

/** For a reader that names neither: from now on. */
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
      // The next look forgets them.
      if (taken.size > REMEMBERED_MAX) floor = newest;
      return fresh;
    },
  };
}

/** No id of that millisecond or a later one is before it. */
function leastIdAt(time: number): string {
  const at = Math.max(0, time).toString(HEX).padStart(TIME_DIGITS, '0');
  return `${at.slice(0, 8)}-${at.slice(8)}-7000-8000-${'0'.repeat(TIME_DIGITS)}`;
}

/** The digits up to the second dash. */
function timeOf(id: string): number {
  return Number.parseInt(id.replace('-', ''), HEX);
}

function latest(a: string, b: string): string {
  return a > b ? a : b;
}

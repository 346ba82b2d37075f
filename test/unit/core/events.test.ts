import { describe, expect, test } from 'vitest';
import { derivedId } from '#core/events/event-id.ts';
import { EVENT_ID, following } from '#core/events/follow-position.ts';
import { digest, eventOf, NOW, SECOND_MS } from '#test/conformance/samples.ts';

/** An id of an event that was written at a time, the n-th of that time. */
const idAt = (time: number, n = 0) => derivedId(digest, time, [n]);
const eventsAt = (...times: readonly number[]) => times.map((time) => eventOf('acme', idAt(time)));
const idsOf = (events: readonly { id: string }[]) => events.map(({ id }) => id);

describe('the id of an event', () => {
  test('is a UUIDv7 of its time, and the same only for the same content', () => {
    const id = derivedId(digest, NOW, ['acme', 1]);
    expect(id).toMatch(EVENT_ID);
    expect(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toBe(NOW);
    expect(derivedId(digest, NOW, ['acme', 1])).toBe(id);
    expect(derivedId(digest, NOW, ['acme', 2])).not.toBe(id);
  });

  test('sorts by time', () => {
    const times = [0, 1, NOW, NOW + 1];
    expect(times.map((time) => idAt(time)).toSorted()).toEqual(times.map((time) => idAt(time)));
  });
});

/** Whether an event of that time would be read by the next look. */
const reads = (after: string, time: number) => after < idAt(time);

describe('a reader that follows events', () => {
  test('without a start begins now', () => {
    const reader = following({ after: undefined, last: undefined }, NOW);
    expect(reader.after() < idAt(NOW)).toBe(true);
    expect(reads(reader.after(), NOW - 1)).toBe(false);
  });

  test('gets nothing up to the event after which it asked to begin', () => {
    const wanted = idAt(NOW - SECOND_MS);
    const reader = following({ after: wanted, last: undefined }, NOW);
    expect(reader.after()).toBe(wanted);
    reader.take(eventsAt(NOW));
    // The seconds before the newest are read again, but never what it did not want.
    expect(reader.after()).toBe(wanted);
  });

  test('gets an event once, however often it reads the page', () => {
    const reader = following({ after: undefined, last: undefined }, NOW);
    const page = eventsAt(NOW, NOW + 1);
    expect(reader.take(page)).toEqual(page);
    expect(reader.take(page)).toEqual([]);
    expect(idsOf(reader.take([...page, ...eventsAt(NOW + 2)]))).toEqual([idAt(NOW + 2)]);
  });

  test('gets an event that a slow writer stored late, within ten seconds', () => {
    const reader = following({ after: undefined, last: undefined }, NOW);
    const late = NOW + SECOND_MS;
    reader.take(eventsAt(NOW + 11 * SECOND_MS - 1));
    expect(reads(reader.after(), late)).toBe(true);
    expect(idsOf(reader.take(eventsAt(late)))).toEqual([idAt(late)]);
    reader.take(eventsAt(NOW + 11 * SECOND_MS + 1));
    expect(reads(reader.after(), late)).toBe(false);
  });

  test('that reconnects continues after its last event and reads the seconds before it again', () => {
    const last = idAt(NOW);
    const reader = following({ after: undefined, last }, NOW + 60 * SECOND_MS);
    expect(reads(reader.after(), NOW - 10 * SECOND_MS)).toBe(true);
    expect(reads(reader.after(), NOW - 10 * SECOND_MS - 1)).toBe(false);
    const page = eventsAt(NOW - SECOND_MS, NOW, NOW + 1);
    expect(idsOf(reader.take(page))).toEqual([idAt(NOW - SECOND_MS), idAt(NOW + 1)]);
  });

  test('that reconnects gets nothing up to the event after which it first asked to begin', () => {
    const wanted = idAt(NOW - SECOND_MS);
    expect(following({ after: wanted, last: idAt(NOW) }, NOW).after()).toBe(wanted);
  });

  test('continues after the newest event if there are more than it remembers', () => {
    const reader = following({ after: undefined, last: undefined }, NOW);
    const many = Array.from({ length: 10_001 }, (_, n) => eventOf('acme', idAt(NOW + 5, n)));
    const newest = idsOf(many).toSorted().at(-1);
    expect(reader.take(many.slice(0, 10_000))).toHaveLength(10_000);
    expect(reader.after() < idAt(NOW)).toBe(true);
    expect(reader.take(many)).toHaveLength(1);
    expect(reader.after()).toBe(newest);
  });

  test('still gets a late event after many events over a long time', () => {
    const reader = following({ after: undefined, last: undefined }, NOW);
    reader.take(Array.from({ length: 10_000 }, (_, n) => eventOf('acme', idAt(NOW, n))));
    const later = NOW + 60 * SECOND_MS;
    for (const time of [later, later + 1]) reader.take(eventsAt(time));
    expect(reads(reader.after(), later - SECOND_MS)).toBe(true);
  });

  test('starts at time 0 if its last event is near it', () => {
    const reader = following({ after: undefined, last: idAt(5) }, NOW);
    expect(reads(reader.after(), 0)).toBe(true);
    expect(reader.after()).toMatch(EVENT_ID);
  });
});

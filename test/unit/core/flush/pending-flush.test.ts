import { describe, expect, test } from 'vitest';
import { flushAfterSilence, flushBegun, flushEnded, flushNow } from '#core/flush/pending-flush.ts';
import type { Layer } from '#core/layer.ts';
import type { PendingFlush, SessionRecord } from '#core/records/session.ts';
import { HOUR_MS, MINUTE_MS, NOW } from '#test/conformance/samples.ts';

const SILENCE_MS = 30 * MINUTE_MS;
const RUN_MS = 15 * MINUTE_MS;
const announced = (layers?: readonly Layer[]) => ({ id: 'new', now: NOW, layers });
const WAITING: PendingFlush = {
  id: 'f',
  dueAt: NOW - 5,
  through: null,
  attempts: 2,
  heading: 'Trimmed Context',
  layers: null,
};
/** A run has settled which turns it takes. */
const BEGUN: PendingFlush = { ...WAITING, through: 7 };

describe('appended turns', () => {
  test('wait for a silent session, under the heading of a session', () => {
    expect(flushAfterSilence(null, announced(), SILENCE_MS)).toEqual({
      id: 'new',
      dueAt: NOW + SILENCE_MS,
      through: null,
      attempts: 0,
      heading: 'Session',
      layers: null,
    });
  });

  test('restart the silence with each later turn, and clear earlier failures', () => {
    expect(flushAfterSilence(WAITING, announced(), SILENCE_MS)).toMatchObject({
      id: 'f',
      dueAt: NOW + SILENCE_MS,
      attempts: 0,
      heading: 'Session',
    });
  });

  test('are due at once if a call requests it, and still count attempts', () => {
    expect(flushNow(null, announced(), 'Trimmed Context')).toEqual({
      ...{ id: 'new', dueAt: NOW, through: null, attempts: 0 },
      ...{ heading: 'Trimmed Context', layers: null },
    });
    const again = { ...WAITING, dueAt: NOW, heading: 'Session' };
    expect(flushNow(WAITING, announced(), 'Session')).toEqual(again);
  });

  test('do not change a run that has begun', () => {
    expect(flushAfterSilence(BEGUN, announced(), SILENCE_MS)).toEqual(BEGUN);
    expect(flushNow(BEGUN, announced(), 'Session')).toEqual(BEGUN);
  });

  test.each<[string, Layer[] | null, Layer[] | undefined, Layer[] | null]>([
    ['all layers if neither writer is limited', null, undefined, null],
    ['the layers of the first limited writer', null, ['user', 'session'], ['user', 'session']],
    ['the layers that both writers have', ['user', 'session'], ['session', 'team'], ['session']],
    ['the earlier layers if the new writer is not limited', ['user'], undefined, ['user']],
    ['no layer if the writers have none in common', ['user'], ['team'], []],
  ])('may be kept in %s', (_, layers, given, expected) => {
    for (const before of [WAITING, BEGUN]) {
      const flush = { ...before, layers };
      expect(flushAfterSilence(flush, announced(given), SILENCE_MS).layers).toEqual(expected);
      expect(flushNow(flush, announced(given), 'Session').layers).toEqual(expected);
    }
  });
});

test.each([
  ['first', 0, RUN_MS],
  ['second', 1, 2 * RUN_MS],
  ['fourth', 3, 8 * RUN_MS],
  ['eighth, which waits at most a day', 7, 24 * HOUR_MS],
])('a lost run starts again later each time: the %s', (_, attempts, waitMs) => {
  expect(flushBegun({ ...WAITING, attempts }, 9, NOW)).toEqual({
    ...WAITING,
    through: 9,
    attempts: attempts + 1,
    dueAt: NOW + waitMs,
  });
});

describe('after a run', () => {
  const session: SessionRecord = {
    ...{ tenant: 'acme', sessionId: 's', owner: 'local', opener: '', identifiers: {} },
    ...{ firstAt: NOW, lastAt: NOW, endedAt: null, tags: [] },
    flushedTo: 3,
    flush: BEGUN,
    version: 4,
  };
  const ended = { lastSequence: 7, nextId: 'next', now: NOW };

  test('nothing waits if nothing was appended since', () => {
    const expected = { ...session, flushedTo: 7, flush: null, version: 5 };
    expect(flushEnded(session, ended)).toEqual(expected);
  });

  test('newer turns wait under a new id and start again if their run is lost', () => {
    const next = { ...BEGUN, id: 'next', dueAt: NOW + RUN_MS, through: null, attempts: 0 };
    expect(flushEnded(session, { ...ended, lastSequence: 8 })).toEqual({
      ...session,
      flushedTo: 7,
      flush: next,
      version: 5,
    });
  });

  test('turns that were flushed before are not flushed again', () => {
    const settled = { ...session, flushedTo: 9 };
    expect(flushEnded(settled, ended)).toMatchObject({ flushedTo: 9, flush: null });
    const unsettled = { ...session, flush: WAITING };
    expect(flushEnded(unsettled, ended)).toMatchObject({ flushedTo: 3, flush: { id: 'next' } });
  });

  test('a session without waiting turns is unchanged', () => {
    const quiet = { ...session, flush: null };
    expect(flushEnded(quiet, ended)).toBe(quiet);
  });
});

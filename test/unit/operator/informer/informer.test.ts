/** The informer against every way that a list or a watch can end. */
import { describe, expect, test } from 'vitest';
import type { VarveError } from '#core/errors.ts';
import { IDLE_MS_MAX, RELIST_AFTER_MS } from '#operator/informer/informer.ts';
import { apiFailure, bookmark, errorEvent, type ObjectServer } from './object-server.ts';
import { watched } from './watched.ts';

/** Longer than any pause that is not asked for. */
const PAUSE_MS_MAX = 30_000;

describe('listing and watching', () => {
  test('the informer lists in pages of one version and watches from there', async () => {
    const { server, time, informer, start, stop, cached, served } = watched();
    for (let at = 0; at < 1_201; at += 1) server.put(`note-${String(at)}`, '');
    const running = start();
    expect(informer.hasSynced()).toBe(false);
    await time.settle();
    expect(server.lists.map(({ limit }) => limit)).toEqual([500, 500, 500]);
    expect(server.watches.map(({ resourceVersion }) => resourceVersion)).toEqual(['1202']);
    expect(informer.hasSynced()).toBe(true);
    server.put('note-0', 'changed');
    server.delete('note-1');
    await time.settle();
    expect(cached()).toEqual(served());
    stop();
    await running;
  });

  test('a watch asks for 290 seconds, give or take twenty', async () => {
    for (const [random, seconds] of [
      [0, 270],
      [0.5, 290],
      [0.999, 310],
    ] as const) {
      const { server, time, start, stop } = watched({}, () => random);
      const running = start();
      await time.settle();
      expect(server.watches.map(({ timeoutSeconds }) => timeoutSeconds)).toEqual([seconds]);
      stop();
      await running;
    }
  });

  test('a list reports each object once, and none that is already known', async () => {
    const { server, time, changes, start, stop } = watched();
    server.put('a', '');
    server.put('b', '');
    const running = start();
    await time.settle();
    expect(changes.map((change) => change.new?.metadata.name)).toEqual(['a', 'b']);
    server.compact();
    server.end(apiFailure('CONFLICT', { httpStatus: 410, reason: 'Expired' }));
    await time.pass(PAUSE_MS_MAX);
    expect(server.lists).toHaveLength(2);
    expect(changes).toHaveLength(2);
    stop();
    await running;
  });
});

describe('the end of a watch', () => {
  interface Row {
    readonly name: string;
    readonly act: (server: ObjectServer) => void;
    readonly reason: string;
    /** Whether the version that was reached is used, or a new list made. */
    readonly next: 'watch' | 'list';
    /** Nothing is asked before. */
    readonly notBeforeMs: number;
  }
  const ROWS: readonly Row[] = [
    row('the connection breaks', {
      error: apiFailure('PROVIDER_ERROR', { httpStatus: 0, reason: 'ConnectionFailed' }),
      reason: 'Disconnected',
      next: 'watch',
    }),
    row('the server fails', {
      error: apiFailure('PROVIDER_ERROR', { httpStatus: 500, reason: 'InternalError' }),
      reason: 'ServerError',
      next: 'list',
    }),
    row('the version is too old', {
      error: apiFailure('CONFLICT', { httpStatus: 410, reason: 'Expired' }),
      reason: 'Expired',
      next: 'list',
    }),
    row('there are too many requests', {
      error: apiFailure('RATE_LIMITED', {
        httpStatus: 429,
        reason: 'TooManyRequests',
        retryAfterMs: 45_000,
      }),
      reason: 'RateLimited',
      next: 'watch',
      notBeforeMs: 45_000,
    }),
    row('the permission is revoked', {
      error: apiFailure('FORBIDDEN', { httpStatus: 403, reason: 'Forbidden' }),
      reason: 'Refused',
      next: 'list',
    }),
    row('the answer is not an event', {
      error: apiFailure('PROVIDER_ERROR', { httpStatus: 0, reason: 'AnswerInvalid' }),
      reason: 'Failed',
      next: 'list',
    }),
    event('an event says that the version is too old', {
      event: errorEvent(410, 'Expired'),
      reason: 'Expired',
      next: 'list',
    }),
    event('an event says that changes are gone', {
      event: errorEvent(410, 'Gone'),
      reason: 'Expired',
      next: 'list',
    }),
    event('an event says that the server has failed', {
      event: errorEvent(500, 'InternalError'),
      reason: 'ServerError',
      next: 'list',
    }),
    event('an event says that there are too many requests', {
      event: errorEvent(429, 'TooManyRequests', { retryAfterSeconds: 40 }),
      reason: 'RateLimited',
      next: 'watch',
      notBeforeMs: 40_000,
    }),
  ];

  test.each(ROWS)('$name', async ({ act, reason, next, notBeforeMs }) => {
    const { server, time, reconnects, start, stop, cached, served } = watched();
    server.put('a', '');
    const running = start();
    await time.settle();
    server.put('b', '');
    await time.settle();
    const reached = server.version();
    act(server);
    await time.settle();
    server.put('c', 'while nobody watches');
    expect(reconnects).toEqual([reason]);
    await time.pass(notBeforeMs - 1);
    expect([server.lists.length, server.watches.length]).toEqual([1, 1]);
    await time.pass(PAUSE_MS_MAX);
    expect(server.lists).toHaveLength(next === 'list' ? 2 : 1);
    expect(server.watches.at(1)?.resourceVersion).toBe(
      next === 'list' ? server.version() : reached,
    );
    expect(cached()).toEqual(served());
    stop();
    await running;
  });

  test('a watch ended by the server is reopened at once', async () => {
    const { server, time, reconnects, start, stop } = watched();
    const running = start();
    await time.pass(290_000);
    server.end();
    await time.settle();
    // The silence before it was interrupted is not what this is about.
    expect(reconnects.at(-1)).toBe('Ended');
    expect(server.openWatches()).toBe(1);
    stop();
    await running;
  });

  test('a server that ends every watch at once is asked with growing pauses', async () => {
    const { server, time, start, stop } = watched();
    const running = start();
    for (let round = 0; round < 100; round += 1) {
      await time.settle();
      server.end();
      await time.pass(100);
    }
    // Ten seconds: at 0, 0.8, 2.4, 5.6 and, at most, 12 s.
    expect(server.watches.length).toBeLessThanOrEqual(5);
    stop();
    await running;
  });

  test('a watch without events or bookmarks is abandoned', async () => {
    const { server, time, reconnects, start, stop } = watched();
    const running = start();
    await time.pass(IDLE_MS_MAX - 1_000);
    server.tell(bookmark('7'));
    await time.pass(IDLE_MS_MAX - 1);
    expect(reconnects).toEqual([]);
    await time.pass(1);
    expect(reconnects).toEqual(['Idle']);
    await time.pass(PAUSE_MS_MAX);
    expect(server.watches.at(-1)?.resourceVersion).toBe('7');
    expect(server.openWatches()).toBe(1);
    stop();
    await running;
  });

  test('watches that stay silent lead to a new list', async () => {
    const { server, time, start, stop } = watched();
    const running = start();
    await time.settle();
    expect(server.lists).toHaveLength(1);
    await time.pass(5 * (IDLE_MS_MAX + PAUSE_MS_MAX));
    expect(server.lists).toHaveLength(2);
    stop();
    await running;
  });

  test('a lost event is made up for by the next list', async () => {
    const { server, time, start, stop, cached, served } = watched();
    const running = start();
    await time.settle();
    server.hold();
    server.put('lost', '');
    server.deliver(() => []);
    for (let passed = 0; passed <= RELIST_AFTER_MS; passed += 30_000) {
      server.tell(bookmark(server.version()));
      await time.pass(30_000);
      if (passed % 270_000 === 0) server.end();
    }
    server.end();
    await time.pass(PAUSE_MS_MAX);
    expect(cached()).toEqual(served());
    stop();
    await running;
  });

  test('a failed list is retried with growing pauses', async () => {
    const { server, time, informer, start, stop } = watched();
    const failure = apiFailure('PROVIDER_ERROR', { httpStatus: 0, reason: 'ConnectionFailed' });
    for (let at = 0; at < 8; at += 1) server.failNext('list', failure);
    const running = start();
    await time.settle();
    const times = [0];
    for (let passed = 0; passed < 200_000; passed += 100) {
      await time.pass(100);
      if (server.lists.length > times.length) times.push(time.now());
    }
    const pauses = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(pauses).toEqual([800, 1_600, 3_200, 6_400, 12_800, 20_000, 20_000, 20_000]);
    expect(informer.hasSynced()).toBe(true);
    stop();
    await running;
  });

  test('pauses are short again after two healthy minutes', async () => {
    const { server, time, start, stop } = watched();
    const failure = apiFailure('PROVIDER_ERROR', { httpStatus: 500, reason: 'InternalError' });
    for (let at = 0; at < 4; at += 1) server.failNext('list', failure);
    const running = start();
    await time.pass(60_000);
    expect(server.openWatches()).toBe(1);
    for (let minute = 0; minute < 3; minute += 1) {
      server.tell(bookmark(server.version()));
      await time.pass(60_000);
    }
    const asked = server.lists.length;
    server.end(failure);
    await time.pass(800);
    expect(server.lists).toHaveLength(asked + 1);
    stop();
    await running;
  });
});

describe('an informer', () => {
  const MOMENTS: readonly (readonly [string, (server: ObjectServer) => void, number])[] = [
    ['in a quiet watch', () => undefined, 1_000],
    ['before its first list', () => undefined, 0],
    ['in a pause', (server) => server.failNext('list', broken()), 100],
  ];
  test.each(MOMENTS)('stops soon %s and leaves no watch open', async (_name, act, ms) => {
    const { server, time, start, stop } = watched();
    act(server);
    const running = start();
    if (ms > 0) await time.pass(ms);
    stop();
    await running;
    const asked = [server.lists.length, server.watches.length];
    await time.pass(RELIST_AFTER_MS);
    expect(server.openWatches()).toBe(0);
    expect([server.lists.length, server.watches.length]).toEqual(asked);
  });

  test('goes on if a listener throws, and reports the object again with the next list', async () => {
    let failures = 1;
    const told: (string | undefined)[] = [];
    const { server, time, errors, start, stop, cached, served } = watched({
      onChange: (change) => {
        if (change.new?.metadata.name === 'b' && failures > 0) {
          failures -= 1;
          throw new Error('the queue is full');
        }
        told.push(change.new?.metadata.name);
      },
    });
    const running = start();
    await time.settle();
    server.put('b', '');
    server.put('c', '');
    await time.settle();
    expect(told).toEqual(['c']);
    expect(errors).toHaveLength(1);
    expect(cached()).toEqual(served());
    server.end(broken(500));
    await time.pass(PAUSE_MS_MAX);
    expect(told).toEqual(['c', 'b']);
    stop();
    await running;
  });

  test('tells when it last heard from the server and whether it has synced', async () => {
    const { server, time, informer, start, stop } = watched();
    expect([informer.hasSynced(), informer.lastHeardAt()]).toEqual([false, null]);
    const running = start();
    await time.pass(20_000);
    expect([informer.hasSynced(), informer.lastHeardAt()]).toEqual([true, 0]);
    server.tell(bookmark('9'));
    await time.pass(5_000);
    expect(informer.lastHeardAt()).toBe(20_000);
    stop();
    await running;
  });

  test('tells throughout an outage when it last tried', async () => {
    const { server, time, informer, start, stop } = watched();
    expect(informer.lastTriedAt()).toBe(null);
    const running = start();
    await time.settle();
    expect(informer.lastTriedAt()).toBe(0);
    for (let tries = 0; tries < 40; tries += 1) server.failNext('list', broken(500));
    await time.pass(5_000);
    server.end(broken(500));
    await time.pass(600_000);
    expect(informer.lastHeardAt()).toBe(0);
    expect(time.now() - (informer.lastTriedAt() ?? 0)).toBeLessThanOrEqual(PAUSE_MS_MAX);
    stop();
    await running;
  });
});

function broken(httpStatus = 0): VarveError {
  return apiFailure('PROVIDER_ERROR', { httpStatus, reason: 'ConnectionFailed' });
}

function row(
  name: string,
  given: { error: VarveError; reason: string; next: 'watch' | 'list'; notBeforeMs?: number },
) {
  const { error, reason, next, notBeforeMs = 800 } = given;
  return { name, act: (server: ObjectServer) => server.end(error), reason, next, notBeforeMs };
}

function event(
  name: string,
  given: {
    event: ReturnType<typeof errorEvent>;
    reason: string;
    next: 'watch' | 'list';
    notBeforeMs?: number;
  },
) {
  const { event: told, reason, next, notBeforeMs = 800 } = given;
  return { name, act: (server: ObjectServer) => server.tell(told), reason, next, notBeforeMs };
}

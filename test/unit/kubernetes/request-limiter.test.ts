/** The client's own request limit, in virtual time. */
import { describe, expect, test } from 'vitest';
import { createRequestLimiter } from '#providers/kubernetes/request-limiter.ts';
import { REQUEST_BURST, REQUESTS_PER_SECOND } from '#providers/kubernetes/request-limiter.ts';
import { virtualTime } from '../operator/virtual-time.ts';

const LIMITS = { perSecond: REQUESTS_PER_SECOND, burst: REQUEST_BURST };

describe('the request limiter', () => {
  test('sends 1,000 requests in order: first a burst, then at a fixed rate', async () => {
    const time = virtualTime();
    const limiter = createRequestLimiter(LIMITS, time.timers());
    const { signal } = new AbortController();
    const sent: { readonly at: number; readonly request: number }[] = [];
    const all = Array.from({ length: 1_000 }, async (_none, request) => {
      await limiter(signal, false);
      sent.push({ at: time.now(), request });
    });
    await time.pass(60_000);
    await Promise.all(all);
    expect(sent.map(({ request }) => request)).toEqual(sent.map((_each, at) => at));
    expect(sent.filter(({ at }) => at === 0)).toHaveLength(REQUEST_BURST);
    for (const { at, request } of sent) {
      expect(request + 1).toBeLessThanOrEqual(REQUEST_BURST + (at * REQUESTS_PER_SECOND) / 1_000);
    }
    expect(sent.at(-1)?.at).toBe(((1_000 - REQUEST_BURST) / REQUESTS_PER_SECOND) * 1_000);
  });

  test('renews a Lease at once at the expense of other requests', async () => {
    const time = virtualTime();
    const limiter = createRequestLimiter({ perSecond: 1, burst: 1 }, time.timers());
    const { signal } = new AbortController();
    await limiter(signal, false);
    await limiter(signal, true);
    const next = limiter(signal, false).then(() => time.now());
    await time.pass(10_000);
    expect(await next).toBe(2_000);
  });

  test('does not send a request cancelled while it waits', async () => {
    const time = virtualTime();
    const limiter = createRequestLimiter({ perSecond: 1, burst: 1 }, time.timers());
    const stop = new AbortController();
    await limiter(stop.signal, false);
    const timers = limiter(stop.signal, false);
    stop.abort();
    await expect(timers).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  test('refuses a request if 1,000 are waiting', async () => {
    const time = virtualTime();
    const limiter = createRequestLimiter({ perSecond: 1, burst: 1 }, time.timers());
    const stop = new AbortController();
    const all = Array.from({ length: 1_001 }, () => limiter(stop.signal, false));
    await expect(limiter(stop.signal, false)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    stop.abort();
    const ends = await Promise.allSettled(all);
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

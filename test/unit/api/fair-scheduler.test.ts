/** Which call starts next while the thread is busy, and while running calls wait. */
import { describe, expect, test } from 'vitest';
import { createFairScheduler, type CallKind } from '#api/fair-scheduler.ts';

/** A thread that is busy all the time, or idle all the time, and looks on request. */
function thread({ isIdle }: { isIdle: boolean }) {
  const state = { now: 0, isIdle, idleMs: 0 };
  const waits: (() => void)[] = [];
  const turns = createFairScheduler({
    timer: () => state.now,
    idle: () => state.idleMs,
    wait: (milliseconds) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      waits.push(() => {
        state.now += milliseconds;
        if (state.isIdle) state.idleMs += milliseconds;
        resolve();
      });
      return promise;
    },
  });
  const begun: string[] = [];
  const refused: number[] = [];
  const refuse = (place: number) => {
    void turns.refuse().then(() => refused.push(place));
  };
  const ends: (() => void)[] = [];
  const call = (tenant: string, kind: CallKind = 'query') => {
    void turns.begin(tenant, kind).then((end) => {
      begun.push(tenant);
      ends.push(end);
    });
  };
  /** Everything that needs no timer. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const look = async () => {
    await settle();
    for (const wait of waits.splice(0)) wait();
    await settle();
  };
  return { state, begun, refused, ends, call, refuse, settle, look };
}

describe('refused calls', () => {
  test('are answered two per interval, in order', async () => {
    const { refused, refuse, settle, look } = thread({ isIdle: true });
    for (let at = 0; at < 5; at += 1) refuse(at);
    await settle();
    expect(refused).toEqual([]);
    await look();
    expect(refused).toEqual([0, 1]);
    await look();
    await look();
    expect(refused).toEqual([0, 1, 2, 3, 4]);
    refuse(5);
    await look();
    expect(refused.at(-1)).toBe(5);
  });

  test('are answered at once, oldest first, when more than 512 of them wait', async () => {
    const { refused, refuse, settle } = thread({ isIdle: true });
    for (let at = 0; at < 514; at += 1) refuse(at);
    await settle();
    expect(refused).toEqual([0, 1]);
  });

  test('are all answered even if a timer fails', async () => {
    const turns = createFairScheduler({
      timer: () => 0,
      idle: () => 0,
      wait: () => Promise.reject(new Error('no timer')),
    });
    const answered = await Promise.all([1, 2, 3, 4].map(() => turns.refuse()));
    expect(answered).toHaveLength(4);
  });
});

test('a failed timer stops no later call', async () => {
  const state = { isBroken: true };
  const turns = createFairScheduler({
    timer: () => 0,
    idle: () => 0,
    wait: () => (state.isBroken ? Promise.reject(new Error('no timer')) : Promise.resolve()),
  });
  const calls = [1, 2, 3, 4].map(() => turns.begin('loud', 'query'));
  await new Promise((resolve) => setImmediate(resolve));
  state.isBroken = false;
  const begun = await Promise.all([...calls, turns.begin('loud', 'query')]);
  expect(begun).toHaveLength(5);
});

describe('while the thread is busy', () => {
  test('a burst of calls from one tenant does not delay another tenant', async () => {
    const { begun, call, settle } = thread({ isIdle: false });
    for (let at = 0; at < 30; at += 1) call('loud');
    call('quiet');
    await settle();
    expect(begun).toEqual(['loud', 'loud', 'quiet']);
  });

  test('writes start together, up to 32 per tenant', async () => {
    const { begun, call, settle } = thread({ isIdle: false });
    for (let at = 0; at < 40; at += 1) call('loud', 'mutation');
    await settle();
    expect(begun).toHaveLength(32);
    call('quiet', 'mutation');
    await settle();
    expect(begun.at(-1)).toBe('quiet');
  });

  test('the next call of a tenant begins when one of its own ends', async () => {
    const { begun, ends, call, settle } = thread({ isIdle: false });
    for (const tenant of ['a', 'a', 'b', 'b', 'a', 'b', 'a']) call(tenant);
    await settle();
    ends[2]?.();
    await settle();
    expect(begun).toEqual(['a', 'a', 'b', 'b', 'b']);
    ends[0]?.();
    await settle();
    expect(begun.at(-1)).toBe('a');
  });

  test('no call waits forever: one starts now and then, from each tenant in turn', async () => {
    const { begun, call, look } = thread({ isIdle: false });
    for (const tenant of ['a', 'a', 'a', 'a', 'b', 'b', 'b']) call(tenant);
    for (let looks = 0; looks < 9; looks += 1) await look();
    expect(begun).toHaveLength(4);
    for (let looks = 0; looks < 21; looks += 1) await look();
    expect(begun.slice(4)).toEqual(['a', 'b', 'a']);
  });
});

describe('a tenant that made many calls recently', () => {
  /** Its calls end as soon as they start. */
  async function withHistory(calls: number) {
    const looked = thread({ isIdle: false });
    for (let at = 0; at < calls; at += 1) {
      looked.call('loud');
      await looked.settle();
      looked.ends.shift()?.();
    }
    looked.begun.length = 0;
    return looked;
  }

  test('waits for the running call of a tenant that made few', async () => {
    const { begun, ends, call, settle } = await withHistory(40);
    call('quiet');
    await settle();
    call('loud');
    await settle();
    expect(begun).toEqual(['quiet']);
    ends[0]?.();
    await settle();
    expect(begun).toEqual(['quiet', 'loud']);
  });

  test('starts one call every few intervals, however long the other call runs', async () => {
    const { begun, call, look } = await withHistory(40);
    call('quiet');
    call('loud');
    for (let looks = 0; looks < 10; looks += 1) await look();
    expect(begun).toEqual(['quiet', 'loud']);
  });

  test.each([
    { calls: 40, seconds: 3, what: 'paused for some seconds' },
    { calls: 20, seconds: 0, what: 'is below the load from which tenants give way' },
  ])('starts at once if it $what', async ({ calls, seconds }) => {
    const { state, begun, call, settle } = await withHistory(calls);
    state.now += seconds * 1_000;
    call('quiet');
    call('loud');
    await settle();
    expect(begun).toEqual(['quiet', 'loud']);
  });

  test('starts at once beside a tenant that made as many calls', async () => {
    const { begun, ends, call, settle } = await withHistory(40);
    for (let at = 0; at < 30; at += 1) {
      call('other');
      await settle();
      ends.shift()?.();
    }
    begun.length = 0;
    call('other');
    call('loud');
    await settle();
    expect(begun).toEqual(['other', 'loud']);
  });
});

test('while the thread is idle, calls that wait for a model do not delay others', async () => {
  const { begun, call, look } = thread({ isIdle: true });
  for (let at = 0; at < 20; at += 1) call('one');
  await look();
  expect(begun).toHaveLength(4);
  await look();
  expect(begun).toHaveLength(6);
  await look();
  expect(begun).toHaveLength(8);
});

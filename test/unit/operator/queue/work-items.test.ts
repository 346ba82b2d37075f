import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WorkItems, type Priority } from '#operator/queue/work-items.ts';

const CHANGE = { priority: 'Change', readyAt: 0 } as const;
const LISTED = { priority: 'Listed', readyAt: 0 } as const;

function drained(items: WorkItems, now: number): readonly string[] {
  const keys: string[] = [];
  for (let item = items.take(now); item !== null; item = items.take(now)) {
    keys.push(item.key);
    items.finish(item.key);
  }
  return keys;
}

describe('the state of a workqueue', () => {
  test('a key added twice is queued once', () => {
    const items = new WorkItems();
    expect([items.add('a', CHANGE), items.add('a', CHANGE)]).toEqual(['Added', 'Known']);
    expect(drained(items, 0)).toEqual(['a']);
  });

  test('a key added while it is running runs again afterwards, not in parallel', () => {
    const items = new WorkItems();
    items.add('a', CHANGE);
    items.take(0);
    items.add('a', CHANGE);
    expect(items.take(0)).toBeNull();
    items.finish('a');
    expect(items.take(0)?.key).toBe('a');
  });

  test('changed keys run before listed ones, which still get their turn', () => {
    const items = new WorkItems();
    items.add('listed', LISTED);
    for (let n = 0; n < 15; n += 1) items.add(`change ${String(n)}`, CHANGE);
    const order = drained(items, 0);
    expect(order[0]).toBe('change 0');
    expect(order.indexOf('listed')).toBe(10);
  });

  test('a listed key that changes moves ahead of the listed ones', () => {
    const items = new WorkItems();
    for (const key of ['a', 'b', 'c']) items.add(key, LISTED);
    items.add('c', CHANGE);
    expect(drained(items, 0)).toEqual(['c', 'a', 'b']);
  });

  test('a ready key keeps its place when it is added again', () => {
    const items = new WorkItems();
    items.add('a', CHANGE);
    items.take(0);
    for (const key of ['b', 'c', 'b']) items.add(key, CHANGE);
    items.finish('a');
    expect(drained(items, 0)).toEqual(['b', 'c']);
  });

  test('a delayed key runs at its time, and a change brings it forward', () => {
    const items = new WorkItems();
    items.add('a', { priority: 'Listed', readyAt: 100 });
    items.add('b', { priority: 'Listed', readyAt: 50 });
    expect([items.take(49), items.nextAt()]).toEqual([null, 50]);
    items.add('a', { priority: 'Change', readyAt: 10 });
    expect(items.nextAt()).toBe(10);
    expect(drained(items, 100)).toEqual(['a', 'b']);
    expect(items.nextAt()).toBeNull();
  });

  test('a full queue refuses new keys, but takes known keys and those put back', () => {
    const items = new WorkItems(2);
    items.add('a', CHANGE);
    items.add('b', CHANGE);
    expect([items.add('c', CHANGE), items.add('a', CHANGE)]).toEqual(['Full', 'Known']);
    items.take(0);
    expect(items.add('c', CHANGE)).toBe('Added');
    items.putBack('a', CHANGE);
    items.finish('a');
    expect(drained(items, 0).toSorted()).toEqual(['a', 'b', 'c']);
  });

  type Step =
    | { readonly do: 'add'; readonly key: string; readonly priority: Priority; readonly in: number }
    | { readonly do: 'take' }
    | { readonly do: 'finish' | 'fail'; readonly pick: number }
    | { readonly do: 'pass'; readonly ms: number };

  const STEP: fc.Arbitrary<Step> = fc.oneof(
    fc.record({
      do: fc.constant('add' as const),
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      priority: fc.constantFrom<Priority>('Change', 'Listed'),
      in: fc.constantFrom(0, 0, 5, 40),
    }),
    fc.record({ do: fc.constant('take' as const) }),
    fc.record({ do: fc.constantFrom('finish' as const, 'fail' as const), pick: fc.nat(9) }),
    fc.record({ do: fc.constant('pass' as const), ms: fc.nat(20) }),
  );

  test('in any order of steps, no key runs twice at once and none is lost', () => {
    fc.assert(
      fc.property(fc.array(STEP, { maxLength: 200 }), (steps) => {
        const items = new WorkItems();
        const running = new Set<string>();
        /** Keys that have to run once more, by the definition and not by the queue. */
        const pending = new Set<string>();
        let now = 0;
        const pick = (at: number) => [...running][at % Math.max(1, running.size)];
        for (const step of steps) {
          if (step.do === 'pass') now += step.ms;
          if (step.do === 'add') {
            items.add(step.key, { priority: step.priority, readyAt: now + step.in });
            pending.add(step.key);
          }
          if (step.do === 'take') {
            const taken = items.take(now);
            if (taken === null) continue;
            expect(running.has(taken.key)).toBe(false);
            expect(pending.has(taken.key)).toBe(true);
            expect(taken.readyAt).toBeLessThanOrEqual(now);
            running.add(taken.key);
            pending.delete(taken.key);
          }
          if (step.do === 'finish' || step.do === 'fail') {
            const key = pick(step.pick);
            if (key === undefined) continue;
            if (step.do === 'fail') {
              items.putBack(key, { priority: 'Change', readyAt: now + 7 });
              pending.add(key);
            }
            items.finish(key);
            running.delete(key);
          }
        }
        for (const key of running) items.finish(key);
        expect(items.size).toBe(pending.size);
        expect(new Set(drained(items, now + 100))).toEqual(pending);
      }),
      { numRuns: 500 },
    );
  });
});

import { describe, expect, test } from 'vitest';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import {
  liveness,
  readiness,
  type OperatorParts,
  type WatchHealth,
  createLoopLag,
  PendingChanges,
} from '#operator/cluster/operator-health.ts';
import { virtualTime } from '../virtual-time.ts';

const WELL: WatchHealth = {
  kind: 'MemoryTenant',
  hasSynced: true,
  silentForMs: 30_000,
  triedForMs: 30_000,
  silenceMsMax: 75_000,
};

const STILL_FOR = (ms: number) => ({ silentForMs: ms, triedForMs: ms });

interface State {
  readonly watch?: Partial<WatchHealth>;
  readonly stuckForMs?: number;
  readonly isLeaderKnown?: boolean;
  readonly lagMs?: number;
}

function parts({ watch = {}, stuckForMs, isLeaderKnown = true, lagMs = 5 }: State): OperatorParts {
  const running = stuckForMs === undefined ? [] : [{ key: 'team-a/acme', forMs: stuckForMs }];
  return {
    watches: () => [{ ...WELL, ...watch }],
    queues: [
      {
        name: 'memorytenant',
        stuck: (graceMs) => running.filter(({ forMs }) => forMs > 300_000 + graceMs),
      },
    ],
    elector: { isLeaderKnown: () => isLeaderKnown },
    loopLagMs: () => lagMs,
  };
}

describe('the probes of the operator', () => {
  test.each<[string, State, readonly string[]]>([
    ['all is well', {}, []],
    ['a watch has never been heard from', { watch: { silentForMs: null } }, []],
    ['nothing has started yet', { watch: { silentForMs: null, triedForMs: null } }, []],
    ['a watch is still for a while', { watch: STILL_FOR(200_000) }, []],
    ['the server is down and retried', { watch: { silentForMs: 3_600_000 } }, []],
    ['a watch runs for long', { watch: { triedForMs: 290_000 } }, []],
    [
      'a watch is dead',
      { watch: STILL_FOR(226_000) },
      ['the watch of MemoryTenant has done nothing for 226 s'],
    ],
    [
      'the first list never ends',
      { watch: { silentForMs: null, triedForMs: 226_000 } },
      ['the watch of MemoryTenant has done nothing for 226 s'],
    ],
    ['a reconcile is asked to end', { stuckForMs: 330_000 }, []],
    [
      'a reconcile does not end',
      { stuckForMs: 361_000 },
      ['memorytenant has worked on team-a/acme for 361 s'],
    ],
    ['the event loop was blocked', { lagMs: 12_000 }, ['the event loop was blocked for 12 s']],
    ['no leader is known', { isLeaderKnown: false }, []],
  ])('liveness if %s', (_, state, findings) => {
    expect(liveness(parts(state))).toEqual({ ok: findings.length === 0, findings });
  });

  test.each<[string, State, readonly string[]]>([
    ['all is well', {}, []],
    [
      'a list is missing',
      { watch: { hasSynced: false } },
      ['the list of MemoryTenant is not there yet'],
    ],
    [
      'no leader is known',
      { isLeaderKnown: false },
      ['no leader is known; check the Lease and who may write it'],
    ],
    ['a silent watch is about to reconnect', { watch: { silentForMs: 200_000 } }, []],
    [
      'the server is down for long',
      { watch: { silentForMs: 226_000 } },
      ['the watch of MemoryTenant has reported nothing for 226 s'],
    ],
  ])('readiness if %s', (_, state, findings) => {
    expect(readiness(parts(state))).toEqual({ ok: findings.length === 0, findings });
  });

  test('the longest stop of the event loop is shown for a minute, the latest until the next', async () => {
    const time = virtualTime();
    let stoodMs = 0;
    const lag = createLoopLag({
      timers: time.timers({ clock: () => time.now() + stoodMs }),
      metrics: { count: () => undefined, observe: () => undefined, set: () => undefined },
      log: SILENT_LOG,
    });
    const stop = new AbortController();
    const running = lag.run(stop.signal);
    await time.pass(2_500);
    stoodMs = 3_000;
    await time.pass(600);
    expect(lag.latestMs()).toBe(3_000);
    await time.pass(10_000);
    expect([lag.latestMs(), lag.longestMs()]).toEqual([0, 3_000]);
    await time.pass(60_000);
    expect(lag.longestMs()).toBe(0);
    stop.abort();
    await running;
  });
});

const tenant = (name: string, generation: number, observedGeneration?: number) =>
  ({
    apiVersion: 'memory.varve.dev/v1alpha1',
    kind: 'MemoryTenant',
    metadata: { name, uid: `uid-of-${name}`, generation },
    ...(observedGeneration === undefined ? {} : { status: { observedGeneration } }),
  }) satisfies KubernetesObject;

const tenants = (...objects: readonly KubernetesObject[]) => new Map([['MemoryTenant', objects]]);

test('a resource whose status names its generation is not pending', () => {
  const ages = new PendingChanges().agesOf(tenants(tenant('acme', 3, 3)), 1_000);
  expect(ages).toEqual([{ kind: 'MemoryTenant', forMs: 0 }]);
});

test('the age of the oldest pending change counts from the look that first saw it', () => {
  const unsynced = new PendingChanges();
  unsynced.agesOf(tenants(tenant('acme', 1)), 1_000);
  const both = tenants(tenant('acme', 1), tenant('other', 2, 1));
  expect(unsynced.agesOf(both, 5_000)).toEqual([{ kind: 'MemoryTenant', forMs: 4_000 }]);
  const synced = tenants(tenant('acme', 1, 1), tenant('other', 2, 1));
  expect(unsynced.agesOf(synced, 7_000)).toEqual([{ kind: 'MemoryTenant', forMs: 2_000 }]);
});

test('another change starts the age again', () => {
  const unsynced = new PendingChanges();
  unsynced.agesOf(tenants(tenant('acme', 1)), 1_000);
  expect(unsynced.agesOf(tenants(tenant('acme', 2)), 9_000)).toEqual([
    { kind: 'MemoryTenant', forMs: 0 },
  ]);
});

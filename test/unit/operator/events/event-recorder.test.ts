import { describe, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import type { KubernetesApi, KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { OperatorMetrics } from '#core/ports/metrics.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { type NewEvent, createEventRecorder, QUEUED_MAX } from '#operator/event-recorder.ts';
import { virtualTime } from '../virtual-time.ts';

const MINUTE_MS = 60_000;
/** 2026-11-22T08:00:00Z */
const START = 1_795_334_400_000;

const ACME: KubernetesObject = {
  apiVersion: 'memory.varve.dev/v1alpha1',
  kind: 'MemoryTenant',
  metadata: { namespace: 'team-a', name: 'acme', uid: 'u1', resourceVersion: '7' },
};
const APPLIED: NewEvent = {
  regarding: ACME,
  type: 'Normal',
  reason: 'PolicyApplied',
  action: 'ApplyPolicy',
  note: 'Applied as generation 3.',
};

/** A recorder over a model of the server's events, and time by hand. */
function fixture() {
  const time = virtualTime();
  const events = new Map<string, KubernetesObject>();
  const counts: Record<string, number> = {};
  const state = { fails: false, hangs: false, writes: 0 };
  const write = async (work: () => KubernetesObject): Promise<KubernetesObject> => {
    state.writes += 1;
    if (state.hangs) return new Promise(() => undefined);
    if (state.fails) throw new VarveError('PROVIDER_ERROR', 'The server is gone.');
    return work();
  };
  const metrics: OperatorMetrics = {
    count: (_, labels) => {
      const key = Object.values(labels).join(' ');
      counts[key] = (counts[key] ?? 0) + 1;
    },
    observe: () => undefined,
    set: () => undefined,
  };
  const api: Pick<KubernetesApi, 'create' | 'patch'> = {
    create: (_, object) =>
      write(() => {
        events.set(object.metadata.name, object);
        return object;
      }),
    patch: (_, { name }, { operations }) =>
      write(() => {
        const event = events.get(name);
        if (event === undefined) throw new VarveError('NOT_FOUND', 'No such event.');
        const [operation] = operations;
        const series = operation?.op === 'add' ? operation.value : null;
        events.set(name, { ...event, series });
        return event;
      }),
  };
  let ids = 0;
  const recorder = createEventRecorder({
    api: api as KubernetesApi,
    reporter: { controller: 'memory.varve.dev/operator', instance: 'varve-operator-0' },
    clock: () => START + time.now(),
    newId: () => {
      ids += 1;
      return `id${String(ids)}`;
    },
    timers: time.timers(),
    log: SILENT_LOG,
    metrics,
  });
  const say = async (news: NewEvent) => {
    recorder.record(news);
    await recorder.flush();
  };
  return { time, events, counts, state, recorder, say };
}

describe('the event recorder', () => {
  test('writes an event that names the change and its object', async () => {
    const { events, say } = fixture();
    await say(APPLIED);
    expect([...events.values()]).toEqual([
      {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { namespace: 'team-a', name: 'acme.id1' },
        eventTime: '2026-11-22T08:00:00.000000Z',
        type: 'Normal',
        reason: 'PolicyApplied',
        action: 'ApplyPolicy',
        note: 'Applied as generation 3.',
        reportingController: 'memory.varve.dev/operator',
        reportingInstance: 'varve-operator-0',
        regarding: {
          apiVersion: 'memory.varve.dev/v1alpha1',
          kind: 'MemoryTenant',
          namespace: 'team-a',
          name: 'acme',
          uid: 'u1',
          resourceVersion: '7',
        },
      },
    ]);
  });

  test('merges repeated events into one event with a series and few writes', async () => {
    const { time, events, counts, state, say } = fixture();
    for (let n = 0; n < 10; n += 1) {
      await say(APPLIED);
      await time.pass(MINUTE_MS);
    }
    expect(events.size).toBe(1);
    expect([...events.values()][0]?.['series']).toEqual({
      count: 8,
      lastObservedTime: '2026-11-22T08:07:00.000000Z',
    });
    expect(state.writes).toBe(3);
    expect(counts).toEqual({ 'Normal Created': 1, 'Normal Repeated': 2, 'Normal Suppressed': 7 });
  });

  test.each<[string, Partial<NewEvent>]>([
    ['another note', { note: 'Applied as generation 4.' }],
    ['another reason', { reason: 'PolicyKept' }],
    ['another type', { type: 'Warning' }],
    [
      'another object of the same name',
      { regarding: { ...ACME, metadata: { ...ACME.metadata, uid: 'u2' } } },
    ],
  ])('writes another event for %s', async (_, changed) => {
    const { events, say } = fixture();
    await say(APPLIED);
    await say({ ...APPLIED, ...changed });
    expect(events.size).toBe(2);
  });

  test('writes an event again after half an hour, or once it has expired', async () => {
    const { time, events, say } = fixture();
    await say(APPLIED);
    await time.pass(31 * MINUTE_MS);
    await say(APPLIED);
    expect(events.size).toBe(2);
    events.clear();
    await say(APPLIED);
    expect([...events.values()].map((event) => event['series'])).toEqual([undefined]);
  });

  test('allows 25 different events per object at once, independent of other objects', async () => {
    const { time, events, say } = fixture();
    const other = { ...ACME, metadata: { namespace: 'team-b', name: 'other' } };
    for (let n = 0; n < 40; n += 1) await say({ ...APPLIED, note: String(n) });
    await say({ ...APPLIED, regarding: other });
    expect(events.size).toBe(26);
    await time.pass(5 * MINUTE_MS);
    await say({ ...APPLIED, note: 'later' });
    expect(events.size).toBe(27);
  });

  test('counts a failed write and writes the event the next time', async () => {
    const { events, counts, state, say } = fixture();
    state.fails = true;
    await say(APPLIED);
    state.fails = false;
    await say(APPLIED);
    expect(events.size).toBe(1);
    expect(counts).toEqual({ 'Normal Failed': 1, 'Normal Created': 1 });
  });

  test('queues a limited number of events and blocks no caller if the server hangs', async () => {
    const { time, counts, state, recorder } = fixture();
    state.hangs = true;
    for (let n = 0; n < QUEUED_MAX + 5; n += 1) recorder.record({ ...APPLIED, note: String(n) });
    expect(counts).toEqual({ 'Normal Dropped': 5 });
    await time.pass(10_000);
    expect(counts).toMatchObject({ 'Normal Failed': 1 });
  });

  test('truncates a long note between characters to what the server accepts', async () => {
    const { events, say } = fixture();
    await say({ ...APPLIED, note: '🌹'.repeat(600) });
    const note = String([...events.values()][0]?.['note']);
    expect(note).toBe(`${'🌹'.repeat(255)}…`);
  });
});

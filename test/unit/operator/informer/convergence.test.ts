/** Whatever happens between server and cache, they agree in the end. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KubernetesObject, WatchEvent } from '#core/ports/kubernetes-api.ts';
import { compareVersions, type ObjectChange } from '#operator/informer/object-cache.ts';
import { RELIST_AFTER_MS } from '#operator/informer/informer.ts';
import { apiFailure, bookmark, errorEvent, type ObjectServer } from './object-server.ts';
import { watched } from './watched.ts';

/** More than the longest pause, so that a watch is open again. */
const PAUSE_MS_MAX = 31_000;
const NAMES = ['a', 'b', 'c', 'd'];

type Step =
  | { readonly do: 'put' | 'delete'; readonly name: string; readonly text: string }
  | { readonly do: 'hold' | 'compact' | 'bookmark' | 'expire' | 'silence' }
  | { readonly do: 'break' | 'failList' | 'failWatch'; readonly httpStatus: number }
  | { readonly do: 'deliver'; readonly order: readonly number[] }
  | { readonly do: 'pass'; readonly ms: number };

const name = fc.constantFrom(...NAMES);
const httpStatus = fc.constantFrom(0, 403, 410, 429, 500, 504);
const write: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom('put', 'put', 'delete'),
  name,
  text: fc.string({ maxLength: 3 }),
});
const fault: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('hold', 'compact', 'bookmark', 'expire', 'silence') }),
  fc.record({ do: fc.constantFrom('break', 'failList', 'failWatch'), httpStatus }),
  fc.record({ do: fc.constant('pass'), ms: fc.integer({ min: 0, max: 90_000 }) }),
);
/** Positions in the events held: left out, said twice and in another order. */
const anyOrder: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('deliver'),
  order: fc.array(fc.nat(20), { maxLength: 12 }),
});

test('K8S-03: the cache converges despite lost, repeated and reordered events and breaks', async () => {
  const steps = fc.array(fc.oneof(write, write, fault, anyOrder), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(steps, fc.double({ min: 0, max: 0.99, noNaN: true }), async (all, chance) => {
      const run = watched({}, () => chance);
      const running = run.start();
      for (const step of all) await take(run, step);
      run.server.deliver();
      // An event that got lost is made up for by the next list, and a list may fail first.
      for (let passed = 0; passed <= RELIST_AFTER_MS + 310_000; passed += PAUSE_MS_MAX) {
        run.server.tell(bookmark(run.server.version()));
        await run.time.pass(PAUSE_MS_MAX);
        if (passed % 279_000 === 0) run.server.end();
      }
      run.server.end();
      await run.time.pass(PAUSE_MS_MAX);
      expect(run.cached()).toEqual(run.served());
      expect(shadowOf(run.changes)).toEqual(run.served());
      run.stop();
      await running;
    }),
    { numRuns: 100 },
  );
});

test('the cache converges without a new list if no event is lost', async () => {
  const steps = fc.array(fc.oneof(write, fc.constant<Step>({ do: 'hold' })), { maxLength: 40 });
  const order = fc.array(fc.nat(100), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(steps, order, async (all, picks) => {
      const run = watched();
      const running = run.start();
      await run.time.settle();
      for (const step of all) await take(run, step);
      // All of them, some twice, in any order.
      run.server.deliver((events) => [
        ...picks.flatMap((pick) => events[pick % Math.max(1, events.length)] ?? []),
        ...events.toReversed(),
      ]);
      await run.time.settle();
      expect(run.server.lists).toHaveLength(1);
      expect(run.cached()).toEqual(run.served());
      expect(shadowOf(run.changes)).toEqual(run.served());
      run.stop();
      await running;
    }),
    { numRuns: 100 },
  );
});

async function take({ server, time }: ReturnType<typeof watched>, step: Step): Promise<void> {
  switch (step.do) {
    case 'put':
      server.put(step.name, step.text);
      break;
    case 'delete':
      server.delete(step.name);
      break;
    case 'deliver':
      server.deliver((events) => step.order.flatMap((at) => events[at] ?? []));
      break;
    case 'pass':
      await time.pass(step.ms);
      break;
    default:
      disturb(server, step);
  }
  await time.settle();
}

function disturb(
  server: ObjectServer,
  step: Exclude<Step, { do: 'put' | 'delete' | 'deliver' | 'pass' }>,
): void {
  const failure = (status: number) =>
    apiFailure('PROVIDER_ERROR', { httpStatus: status, reason: 'Fault', retryAfterMs: 2_000 });
  switch (step.do) {
    case 'hold':
      server.hold();
      break;
    case 'compact':
      server.compact();
      break;
    case 'bookmark':
      server.tell(bookmark(server.version()));
      break;
    case 'expire':
      server.tell(errorEvent(410, 'Expired'));
      break;
    case 'silence':
      server.hold();
      server.deliver(() => []);
      break;
    case 'break':
      server.end(failure(step.httpStatus));
      break;
    case 'failList':
      server.failNext('list', failure(step.httpStatus));
      break;
    case 'failWatch':
      server.failNext('watch', failure(step.httpStatus));
      break;
  }
}

/** What a listener believes that only heard of changes; each change has to follow from the last. */
function shadowOf(changes: readonly ObjectChange[]): readonly string[] {
  const shadow = new Map<string, KubernetesObject>();
  for (const change of changes) {
    const object = change.new ?? change.old;
    if (object === null) continue;
    const before = shadow.get(object.metadata.name) ?? null;
    expect(change.old).toBe(before);
    if (change.new === null) {
      shadow.delete(object.metadata.name);
      continue;
    }
    const order = compareVersions(change.new.metadata.resourceVersion, versionOf(before));
    expect(order === null || order > 0).toBe(true);
    shadow.set(object.metadata.name, change.new);
  }
  return [...shadow.values()]
    .map((object) => `${object.metadata.name}@${String(versionOf(object))}`)
    .toSorted();
}

function versionOf(
  object: KubernetesObject | null,
): WatchEvent['object']['metadata']['resourceVersion'] {
  return object?.metadata.resourceVersion;
}

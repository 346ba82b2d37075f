/** If the process dies at any outside call, the final state is the same. */
import { LEASE } from '#operator/leader/lease.ts';
import { findings } from '../refresh/scenario.ts';
import { seededSample } from '../seeded-sample.ts';
import { declare, ERASED_TENANT, KEPT_TENANT, STEPS, type Step } from './declared.ts';
import { policyRecords } from './end-state.ts';
import type { CallFate } from './outside-calls.ts';
import { prepare } from './prepared.ts';
import type { OperatorScenario, OperatorScenarioPlace } from './scenario.ts';
import { difference, inTurns, settledState } from './settled.ts';
import { runsLeftOver, scheduleState } from './temporal-fixture.ts';
import { eventually, openHarness } from './harness.ts';

type Death = Extract<CallFate, 'DieBefore' | 'DieAfter'>;

/** More outside calls than any step takes; one that takes more never settles. */
const CALLS_MAX = 400;
const SAMPLE_COUNT = 3;
const TENANTS = [ERASED_TENANT, KEPT_TENANT];
/** Harnesses at the same time: they mostly wait for the end of a Lease. */
const AT_ONCE = 6;

interface Point {
  readonly step: Step;
  readonly death: Death;
  /** Of the outside calls of the step, from 1. */
  readonly number: number;
}

export const CRASHES: readonly OperatorScenario[] = STEPS.map((step) => ({
  id: `crash-${step}`,
  family: 'Crash',
  requirement: 'K8S-03',
  shows: `a crash at any external call of ${step} leads to the same state`,
  run: async (place) => {
    const { calls, expected } = await undisturbed(place, step);
    const found = findings();
    found.expect(calls > 0 && calls < CALLS_MAX, `${String(calls)} outside calls`);
    const all: readonly Point[] = (['DieBefore', 'DieAfter'] as const).flatMap((death) =>
      Array.from({ length: calls }, (_, n) => ({ step, death, number: n + 1 })),
    );
    const points = place.scale === 'Full' ? all : seededSample(all, SAMPLE_COUNT, place.seed);
    await inTurns(points, AT_ONCE, async (point) => {
      found.add(await diesAt(place, point, expected));
    });
    return found.list;
  },
}));

interface Expected {
  readonly state: string;
  readonly told: string;
  readonly schedule: string;
}

/** How many outside calls the step takes, and what it leads to. */
async function undisturbed(
  { plane, temporal, seed }: OperatorScenarioPlace,
  step: Step,
): Promise<{ calls: number; expected: Expected }> {
  await using harness = await openHarness({ cluster: plane, temporal, seed });
  await prepare(harness, step);
  await declare(harness.api, harness.namespace, step);
  const replica = harness.start({ calls: { ...COUNTED, fateOf: () => 'Pass' } });
  const state = await settledState(harness);
  const told = await policyRecords(harness.store, TENANTS);
  const schedule = await scheduleState(temporal, harness.namespace);
  return { calls: replica.callCount(), expected: { state, told, schedule } };
}

async function diesAt(
  { plane, temporal, seed }: OperatorScenarioPlace,
  point: Point,
  expected: Expected,
): Promise<readonly string[]> {
  const { step, death, number } = point;
  const name = `${step}, ${death} call ${String(number)}`;
  await using harness = await openHarness({ cluster: plane, temporal, seed });
  await prepare(harness, step);
  await declare(harness.api, harness.namespace, step);
  let died = '';
  const crashPoint = harness.start({
    calls: {
      ...COUNTED,
      fateOf: (call) => {
        if (call.number !== number) return 'Pass';
        died = call.name;
        return death;
      },
    },
  });
  // A run takes a call less now and then: then nothing is left to die at.
  const isDone = async () => {
    const state = await harness.state({ hasHistory: true });
    return state === expected.state ? true : null;
  };
  try {
    await eventually('a death', async () => (crashPoint.hasEnded() ? true : isDone()));
    await crashPoint.stop();
    await using _next = harness.start();
    await eventually('the state', isDone);
    const isKept = async () =>
      (await scheduleState(temporal, harness.namespace)) === expected.schedule ? true : null;
    await eventually('the schedule', isKept);
  } catch (error) {
    const where = difference(expected.state, await harness.state({ hasHistory: true }));
    return [`${name} (${died}) led to another state: ${where} (${String(error)})`];
  }
  const found = findings();
  const told = await policyRecords(harness.store, TENANTS);
  found.expect(told === expected.told, `${name} (${died}): the events tell of ${told}`);
  const { namespace, store } = harness;
  const runs = await runsLeftOver(temporal, { harness: namespace, store, tenants: TENANTS });
  found.expect(runs.length === 0, `${name} (${died}): runs are open of ${runs.join(', ')}`);
  return found.list;
}

const COUNTED = {
  /** When a Lease is renewed is a matter of time, not of the step; a death then is any other. */
  counts: (name: string, args: readonly unknown[]) => {
    const [type] = args as readonly [{ readonly plural?: string } | undefined];
    return !(name.startsWith('api.') && type?.plural === LEASE.plural);
  },
};

/**
 * Two replicas: the leader stands still before a write for longer than its Lease, another one takes
 * over and goes on, then the first one resumes and its write goes out after all.
 */
import { MEMORY_TENANT } from '#crds/resource-types.ts';
import { LEASE } from '#operator/leader/lease.ts';
import { findings } from '../refresh/scenario.ts';
import { seededSample } from '../seeded-sample.ts';
import { declare, ERASED_TENANT, specify, STEPS, type Step } from './declared.ts';
import type { CallEnd, CallFate, OutsideCall } from './outside-calls.ts';
import { prepare } from './prepared.ts';
import type { OperatorScenario, OperatorScenarioPlace } from './scenario.ts';
import { difference, inTurns, settledState, stillState } from './settled.ts';
import { scheduleState } from './temporal-fixture.ts';
import { eventually, openHarness, type OperatorHarness } from './harness.ts';

/** By the operator's time; a Lease is then over after three seconds of the clock. */
const SPEED = 10;
const SAMPLE_COUNT = 2;
const AT_ONCE = 4;
/** More writes than a step takes. */
const WRITES_MAX = 100;

const READS =
  /\.(?:get|list\w*|watch|read\w*|lookUp\w*|due\w*|find\w*|entries|count\w*|describe\w*)$/u;
/**
 * They tell people, or request a look, or end a run, which is only the
 * executor of what a store has written down: late, they are harmless.
 */
const TELLINGS: ReadonlySet<string> = new Set([
  'events.append',
  'refreshRequests.want',
  'event',
  'refreshes.notify',
  'refreshes.end',
]);
/** Temporal says no to an outdated token by doing nothing; what the schedule is then shows it. */
const SILENT: ReadonlySet<string> = new Set(['temporal.updateSchedule']);
/** Held before it looks at all: what it would write then rests on what another wrote meanwhile. */
const LOOK_AT_SCHEDULE = 'temporal.describeSchedule';

const REFUSALS: ReadonlySet<string> = new Set([
  'Absent',
  'Changed',
  'Claimed',
  'Fenced',
  'Unchanged',
]);

/** Which of its writes the first leader stands still before. */
type IsHeld = (call: OutsideCall) => boolean;

const SET_LIMITS = 'accounts.setLimits';

const FROZEN_LIMITS: OperatorScenario = {
  id: 'leader-frozen-limits',
  family: 'Leaders',
  requirement: 'K8S-03',
  shows: 'an account refuses the limits of a policy that another leader has replaced',
  run: async (place) => {
    const isHeld: IsHeld = ({ name }) => name === SET_LIMITS;
    return (await frozenAt(place, 'update', isHeld)) ?? ['no limit was written'];
  },
};

const FROZEN_STEPS: readonly OperatorScenario[] = STEPS.map((step) => ({
  id: `leader-frozen-${step}`,
  family: 'Leaders',
  requirement: 'K8S-03',
  shows: `a leader that was frozen before a write of ${step} is refused when it resumes`,
  run: async (place) => {
    const count = await writesOf(place, step);
    const found = findings();
    let frozen = 0;
    found.expect(count > 0 && count < WRITES_MAX, `${String(count)} writes`);
    const all = Array.from({ length: count }, (_, n) => n + 1);
    const numbers = place.scale === 'Full' ? all : seededSample(all, SAMPLE_COUNT, place.seed);
    await inTurns(numbers, AT_ONCE, async (number) => {
      const isHeld: IsHeld = (call) => call.number === number;
      const wrong = await frozenAt(place, step, isHeld).catch((error: unknown) => [String(error)]);
      if (wrong === null) return;
      frozen += 1;
      found.add(wrong.map((finding) => `${step}, write ${String(number)}: ${finding}`));
    });
    found.expect(frozen > numbers.length / 2, `only ${String(frozen)} leaders stood still`);
    return found.list;
  },
}));

const FROZEN_SCHEDULE: OperatorScenario = {
  id: 'leader-frozen-schedule',
  family: 'Leaders',
  requirement: 'K8S-03',
  shows:
    'a replaced leader of an earlier version that resumes does not change the current schedule',
  run: async (place) => {
    const isHeld: IsHeld = ({ name }) => name === LOOK_AT_SCHEDULE;
    return (await frozenAt(place, 'update', isHeld)) ?? ['no schedule was looked at'];
  },
};

export const FROZEN: readonly OperatorScenario[] = [
  ...FROZEN_STEPS,
  FROZEN_LIMITS,
  FROZEN_SCHEDULE,
];

async function writesOf(
  { plane, temporal, seed }: OperatorScenarioPlace,
  step: Step,
): Promise<number> {
  await using harness = await openHarness({ cluster: plane, temporal, seed, speed: SPEED });
  await prepare(harness, step);
  await declare(harness.api, harness.namespace, step);
  const replica = harness.start({ calls: { counts: isCounted, fateOf: () => 'Pass' } });
  await settledState(harness);
  return replica.callCount();
}

/** What is wrong; null where the run made fewer writes, so that nothing stood still. */
async function frozenAt(
  { plane, temporal, seed }: OperatorScenarioPlace,
  step: Step,
  isHeld: IsHeld,
): Promise<readonly string[] | null> {
  await using harness = await openHarness({ cluster: plane, temporal, seed, speed: SPEED });
  await prepare(harness, step);
  await declare(harness.api, harness.namespace, step);
  const freeze = createFreeze(isHeld);
  const first = harness.start({ calls: freeze.calls, version: 'Earlier' });
  const isDone = async () => (freeze.held() === null ? null : true);
  const isOver = eventually('a freeze', isDone).then(() => 'Frozen' as const);
  // A run makes a write less now and then: then there is nothing to stand still before.
  const frozen = await Promise.race([isOver, settledState(harness).then(() => 'Settled' as const)]);
  void isOver.catch(() => undefined);
  if (frozen === 'Settled' && freeze.held() === null) return null;
  const second = harness.start();
  await eventually('another leader', async () => (second.isLeader() ? true : null));
  await goOn(harness, step);
  await settledState(harness);
  const whole = async () =>
    `${await stillState(harness)} ${await scheduleState(temporal, harness.namespace)}`;
  const expected = await whole();
  freeze.wake();
  const outcome = await freeze.outcome;
  await first.stop();
  await settledState(harness);
  const actual = await whole();
  const found = findings();
  const name = freeze.held() ?? '';
  const mayEndWell = TELLINGS.has(name) || SILENT.has(name) || name === LOOK_AT_SCHEDULE;
  found.expect(outcome === 'Refused' || mayEndWell, `${name} was let through`);
  found.expect(expected === actual, `${name} changed ${difference(expected, actual)}`);
  return found.list;
}

/** What is declared while the first one stands still, so that what it has in hand is old. */
async function goOn(harness: OperatorHarness, step: Step): Promise<void> {
  const { api, namespace } = harness;
  const name = ERASED_TENANT;
  const spec = { reclaimPolicy: 'Erase', budget: { tokens: 5_000 } };
  if (step !== 'delete') {
    await specify(api, MEMORY_TENANT, { namespace, name, spec });
    return;
  }
  const isGone = async () =>
    (await api.get(MEMORY_TENANT, { namespace, name })) === null ? true : null;
  await eventually('the end of the tenant', isGone);
  const { apiVersion, kind } = { apiVersion: 'memory.varve.dev/v1alpha1', kind: 'MemoryTenant' };
  await api.create(MEMORY_TENANT, { apiVersion, kind, metadata: { namespace, name }, spec });
}

function createFreeze(isHeld: IsHeld) {
  const woken = Promise.withResolvers<CallFate>();
  const outcome = Promise.withResolvers<'Refused' | 'Done'>();
  let held: OutsideCall | null = null;
  let name: string | null = null;
  return {
    held: () => name,
    wake: () => woken.resolve('PassLate'),
    outcome: outcome.promise,
    calls: {
      counts: isCounted,
      fateOf: (call: OutsideCall, args: readonly unknown[]): CallFate | Promise<CallFate> => {
        if (name !== null) return woken.promise;
        if (call.number === null || !isHeld(call)) return 'Pass';
        held = call;
        name = nameOf(call, args);
        return woken.promise;
      },
      onEnd: (call: OutsideCall, end: CallEnd) => {
        if (call === held) outcome.resolve(isRefusal(end) ? 'Refused' : 'Done');
      },
    },
  };
}

/** A store says no in its answer, and the API server by an error. */
function isRefusal(end: CallEnd): boolean {
  if ('error' in end) return true;
  const { answer } = end;
  const kind =
    typeof answer === 'object' && answer !== null && 'kind' in answer ? answer.kind : null;
  return answer === false || (typeof kind === 'string' && REFUSALS.has(kind));
}

function isCounted(name: string, args: readonly unknown[]): boolean {
  return name === LOOK_AT_SCHEDULE || isWrite(name, args);
}

function isWrite(name: string, args: readonly unknown[]): boolean {
  return !READS.test(name) && pluralOf(args) !== LEASE.plural;
}

function nameOf({ name }: OutsideCall, args: readonly unknown[]): string {
  return pluralOf(args) === 'events' ? 'event' : name;
}

function pluralOf([type]: readonly unknown[]): unknown {
  return typeof type === 'object' && type !== null && 'plural' in type ? type.plural : null;
}

/** The operator recovers from failures around it: events, watches, requests, servers. */
import type { LeaseSettings } from '#operator/leader/lease.ts';

import type { ApiProxy } from '../../cluster/api-proxy.ts';
import type { Part } from '../../cluster/control-plane/programs.ts';
import type { FaultChances } from '../../cluster/api-proxy/faults.ts';
import { findings } from '../refresh/scenario.ts';
import { declare, KINDS, STEPS, type Step } from './declared.ts';
import type { Family, OperatorScenario, OperatorScenarioPlace } from './scenario.ts';
import { keepBookmarking, MINUTE_MS, settlesAs } from './quiet.ts';
import { settledState, stillState } from './settled.ts';
import { eventually, openHarness, type OperatorHarness } from './harness.ts';

/** The operator lists everything again every ten minutes; here they pass in half of one. */
const SPEED = 20;
/** Slower, so that no list is due while an API server starts. */
const SPEED_OF_COMPACTED = 5;
/** By the clock; held through the start of an API server. */
const LONG_LEASE: LeaseSettings = { leaseMs: 90_000, renewWithinMs: 80_000, retryMs: 400 };
/** So many of a hundred events, each way that they can go wrong. */
const EVENT_CHANCE = 0.3;
const CONFLICT_CHANCE = 0.05;
const FAILURE_CHANCE = 0.01;

/** Begins before a step is declared; what it answers ends it, once the step is, with findings. */
type Disturb = (harness: OperatorHarness, place: OperatorScenarioPlace) => Promise<End>;
type End = () => Promise<readonly string[]>;

const OVER: End = () => Promise.resolve([]);

interface Disturbance {
  readonly id: string;
  readonly family: Family;
  readonly what: string;
  readonly disturb: Disturb;
  /** How much quicker than the clock the operator's time passes; `SPEED` by default. */
  readonly speed?: number;
  readonly lease?: LeaseSettings;
}

const DISTURBANCES: readonly Disturbance[] = [
  {
    id: 'events-dropped',
    family: 'Events',
    what: 'watch events never come',
    disturb: events({ dropped: EVENT_CHANCE }),
  },
  {
    id: 'events-repeated',
    family: 'Events',
    what: 'watch events come twice',
    disturb: events({ repeated: EVENT_CHANCE }),
  },
  {
    id: 'events-late',
    family: 'Events',
    what: 'watch events come out of order',
    disturb: events({ late: EVENT_CHANCE }),
  },
  {
    id: 'requests-fail',
    family: 'Requests',
    what: '5% of writes conflict, and 1% of requests fail',
    disturb: requestsFail,
  },
  {
    id: 'watches-cut',
    family: 'Watches',
    what: 'every watch is cut',
    disturb: watches((harness) => harness.proxy.cutWatches()),
  },
  {
    id: 'watches-silent',
    family: 'Watches',
    what: 'watches fall silent',
    disturb: watches((harness) => harness.proxy.silenceWatches()),
  },
  {
    id: 'watches-expired',
    family: 'Watches',
    what: 'watches end with 410',
    disturb: watches((harness) => harness.proxy.expireWatches()),
  },
  {
    id: 'compacted',
    family: 'Compaction',
    what: 'the server compacts versions that the watches have not seen',
    disturb: compacted,
    speed: SPEED_OF_COMPACTED,
    lease: LONG_LEASE,
  },
  {
    id: 'apiserver-killed',
    family: 'Servers',
    what: 'the API server dies and returns',
    disturb: killed('kube-apiserver'),
  },
  {
    id: 'etcd-killed',
    family: 'Servers',
    what: 'etcd dies and returns',
    disturb: killed('etcd'),
  },
];

export const DISTURBED: readonly OperatorScenario[] = DISTURBANCES.map((disturbance) => ({
  id: disturbance.id,
  family: disturbance.family,
  requirement: 'K8S-03',
  shows: `${disturbance.what}: ${quietness(disturbance)}`,
  run: (place) => settles(disturbance, place),
}));

/** In words, how long it is watched for a write. */
function quietness({ speed = SPEED }: Disturbance): string {
  const seconds = String(MINUTE_MS / speed / 1_000);
  return (
    'the operator reaches the same state, then writes nothing for a minute of its time ' +
    `(${seconds} s), and in a full run also for a minute of real time`
  );
}

async function settles(
  { disturb, speed = SPEED, lease }: Disturbance,
  place: OperatorScenarioPlace,
): Promise<readonly string[]> {
  const { plane: cluster, temporal, seed, scale } = place;
  const steps = scale === 'Full' ? STEPS : STEPS.slice(0, 1);
  const expected = await undisturbed(place, steps);
  await using harness = await openHarness({ cluster, temporal, seed, speed });
  using _bookmarks = keepBookmarking(harness, speed);
  await using _operator = harness.start(lease === undefined ? {} : { lease });
  await eventually('the watches', async () => (isEachKindWatched(harness.proxy) ? true : null));
  const found = findings();
  for (const [n, step] of steps.entries()) {
    const end = await disturb(harness, place);
    await declare(harness.api, harness.namespace, step);
    const isWholeMinute = scale === 'Full' && n === steps.length - 1;
    const quietMs = isWholeMinute ? MINUTE_MS : MINUTE_MS / speed;
    const ended = await end();
    const wrong = await settlesAs(harness, expected[n] ?? '', { speed, quietMs });
    found.add([...ended, ...wrong].map((finding) => `${step}: ${finding}`));
  }
  return found.list;
}

/** The state after each step. */
async function undisturbed(
  { plane, temporal, seed }: OperatorScenarioPlace,
  steps: readonly Step[],
): Promise<readonly string[]> {
  await using harness = await openHarness({ cluster: plane, temporal, seed, speed: SPEED });
  await using _operator = harness.start();
  const states: string[] = [];
  for (const step of steps) {
    await declare(harness.api, harness.namespace, step);
    await settledState(harness);
    states.push(await harness.state());
  }
  return states;
}

/** Until what was heard of the step is enforced. */
function events(chances: Partial<FaultChances>): Disturb {
  return async (harness) => {
    harness.proxy.setFaults(chances);
    return async () => {
      await stillState(harness);
      harness.proxy.setFaults({});
      return [];
    };
  };
}

/** To the end: it has to settle in spite of them. */
function requestsFail(harness: OperatorHarness): Promise<End> {
  harness.proxy.setFaults({ conflict: CONFLICT_CHANCE, failure: FAILURE_CHANCE });
  return Promise.resolve(OVER);
}

function watches(act: (harness: OperatorHarness) => number): Disturb {
  return (harness) => {
    const count = act(harness);
    return Promise.resolve(count > 0 ? OVER : () => Promise.resolve(['no watch was open']));
  };
}

function killed(part: Part): Disturb {
  return async (harness, { plane }) => {
    await plane.kill(part);
    await plane.start(part);
    // What it serves of the definitions comes a moment after it is ready.
    await eventually('the resources', () => harness.state());
    return OVER;
  };
}

/**
 * The watches hear nothing of the step; when they break and come again, the server no longer has
 * where they were. It has to say so to one of them at least.
 */
async function compacted(harness: OperatorHarness, { plane }: OperatorScenarioPlace): Promise<End> {
  const { proxy } = harness;
  // Whoever listed long ago would list again.
  await listsAnew(proxy);
  proxy.holdWatches();
  return async () => {
    await compactEtcd(plane.etcd);
    // Its own memory of recent events goes with it.
    await plane.kill('kube-apiserver');
    await plane.start('kube-apiserver');
    await eventually('the resources', () => harness.state());
    const before = proxy.record.expired;
    proxy.cutWatches();
    const isSeen = async () => (proxy.record.expired > before ? true : null);
    const isTold = await eventually('a 410', isSeen).catch(() => false);
    return isTold ? [] : ['the server told no watch that it forgot what came since'];
  };
}

/** A watch that opens after a disturbance would not be met by it. */
function isEachKindWatched(proxy: ApiProxy): boolean {
  return proxy.watchCount() >= KINDS.length;
}

async function listsAnew(proxy: ApiProxy): Promise<void> {
  const from = performance.now();
  proxy.expireWatches();
  await eventually('new lists', async () => {
    const asked = proxy.record.since(from);
    const isListed = KINDS.every(({ plural }) =>
      asked.some(({ verb, resource }) => verb === 'list' && resource === plural),
    );
    return isListed && isEachKindWatched(proxy) ? true : null;
  });
}

/** By the JSON form of etcd's own API: everything but what is there now is forgotten. */
async function compactEtcd(etcd: string): Promise<void> {
  const post = async (path: string, body: object): Promise<unknown> => {
    const answer = await fetch(`${etcd}/v3/kv/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`etcd ${path}: ${await answer.text()}`);
    return answer.json();
  };
  const key = Buffer.from('any').toString('base64');
  const { header } = (await post('range', { key })) as { header: { revision: string } };
  await post('compaction', { revision: header.revision, physical: true });
}

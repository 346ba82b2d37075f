/** What fails around the operator is made good: events, watches, requests, servers. */
import type { Part } from '../../cluster/control-plane/programs.ts';
import type { FaultChances } from '../../cluster/api-proxy/faults.ts';
import { findings } from '../refresh/proof.ts';
import { declare, STEPS, type Step } from './declared.ts';
import type { OperatorProof, OperatorProofPlace } from './proof.ts';
import { keepBookmarking, settlesAs } from './quiet.ts';
import { settledState, stillState } from './settled.ts';
import { eventually, openWorld, type OperatorWorld } from './world.ts';

/** The operator lists everything anew every ten minutes; here they pass in half of one. */
const SPEED = 20;
/** So many of a hundred events, each way that they can go wrong. */
const EVENT_CHANCE = 0.3;
const CONFLICT_CHANCE = 0.05;
const FAILURE_CHANCE = 0.01;

/** Begins before a step is declared; what it answers ends it, once the step is, with findings. */
type Disturb = (world: OperatorWorld, place: OperatorProofPlace) => Promise<End>;
type End = () => Promise<readonly string[]>;

const OVER: End = () => Promise.resolve([]);

const DISTURBANCES: readonly (readonly [string, string, Disturb])[] = [
  ['events-dropped', 'watch events never come', events({ dropped: EVENT_CHANCE })],
  ['events-repeated', 'watch events come twice', events({ repeated: EVENT_CHANCE })],
  ['events-late', 'watch events come out of order', events({ late: EVENT_CHANCE })],
  ['requests-fail', '5 % of writes meet a conflict, 1 % of requests fail', requestsFail],
  ['watches-cut', 'every watch breaks', watches((world) => world.proxy.cutWatches())],
  ['watches-silent', 'watches say nothing', watches((world) => world.proxy.silenceWatches())],
  ['watches-expired', 'watches end with 410', watches((world) => world.proxy.expireWatches())],
  ['compacted', 'the server forgot what the watches had not seen', compacted],
  ['apiserver-killed', 'the API server dies and returns', killed('kube-apiserver')],
  ['etcd-killed', 'etcd dies and returns', killed('etcd')],
];

export const DISTURBED: readonly OperatorProof[] = DISTURBANCES.map(([id, what, disturb]) => ({
  id,
  requirement: 'K8S-03',
  shows: `${what}: it settles as it would have, and then writes nothing for a minute`,
  run: async (place) => {
    const { plane: cluster, seed, scale } = place;
    const steps = scale === 'Full' ? STEPS : (['create', 'update'] as const);
    const expected = await undisturbed(place, steps);
    await using world = await openWorld({ cluster, seed, speed: SPEED });
    using _bookmarks = keepBookmarking(world, SPEED);
    await using _operator = world.start();
    await eventually('the watches', async () => (world.proxy.watchCount() > 0 ? true : null));
    const found = findings();
    for (const [n, step] of steps.entries()) {
      const end = await disturb(world, place);
      await declare(world.api, world.namespace, step);
      const wrong = [...(await end()), ...(await settlesAs(world, expected[n] ?? '', SPEED))];
      found.add(wrong.map((finding) => `${step}: ${finding}`));
    }
    return found.list;
  },
}));

/** The state after each step. */
async function undisturbed(
  { plane, seed }: OperatorProofPlace,
  steps: readonly Step[],
): Promise<readonly string[]> {
  await using world = await openWorld({ cluster: plane, seed, speed: SPEED });
  await using _operator = world.start();
  const states: string[] = [];
  for (const step of steps) {
    await declare(world.api, world.namespace, step);
    await settledState(world);
    states.push(await world.state());
  }
  return states;
}

/** Until what was heard of the step is carried out. */
function events(chances: Partial<FaultChances>): Disturb {
  return async (world) => {
    world.proxy.setFaults(chances);
    return async () => {
      await stillState(world);
      world.proxy.setFaults({});
      return [];
    };
  };
}

/** To the end: it has to settle in spite of them. */
function requestsFail(world: OperatorWorld): Promise<End> {
  world.proxy.setFaults({ conflict: CONFLICT_CHANCE, failure: FAILURE_CHANCE });
  return Promise.resolve(OVER);
}

function watches(act: (world: OperatorWorld) => number): Disturb {
  return (world) => {
    const count = act(world);
    return Promise.resolve(count > 0 ? OVER : () => Promise.resolve(['no watch was open']));
  };
}

function killed(part: Part): Disturb {
  return async (world, { plane }) => {
    await plane.kill(part);
    await plane.start(part);
    // What it serves of the definitions comes a moment after it is ready.
    await eventually('the resources', () => world.state());
    return OVER;
  };
}

/**
 * The watches break, and when they come again the server no longer has where they were. Whoever
 * asked too often meanwhile lists anew by itself; whoever did not is answered 410.
 */
function compacted({ proxy }: OperatorWorld, { plane }: OperatorProofPlace): Promise<End> {
  proxy.setFaults({ broken: 1 });
  proxy.cutWatches();
  return Promise.resolve(async () => {
    await compactEtcd(plane.etcd);
    // Its own memory of recent events goes with it.
    await plane.kill('kube-apiserver');
    await plane.start('kube-apiserver');
    proxy.setFaults({});
    return [];
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

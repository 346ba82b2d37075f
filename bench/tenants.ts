/**
 * `npm run bench -- tenants [flood] [large]`: the effect of one tenant on others, over HTTP, with a
 * key for each and the default limits. Rounds of a tenant alone and next to the other alternate.
 * Each reports the 99th percentile of its calls, measured in two ways: in wall time from when a
 * call was due, and in CPU time that the server's threads ran during the call. The second is the
 * longest that a call would wait on an otherwise idle machine: work of other threads at the same
 * time also counts. It is read from Linux.
 *
 * `flood`: one tenant sends 20 times the calls that its key may make. `large`: one has 100,000
 * memories, and searches and writes all the time. `--folder PATH` keeps the store of `large` for
 * another run.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CALL_LIMIT_DEFAULTS } from '#api/call-limits.ts';
import { ratio, spread, shown } from './rounds.ts';
import { callingOf, KINDS, type Calling, type Kind, type Tenant } from './tenants/calls.ts';
import { ranMs, startChild, type Child } from './tenants/child.ts';
import type { Load, Sent, ToLoad } from './tenants/load-program.ts';
import type { Worked } from './tenants/server-program.ts';

const SERVER = new URL('tenants/server-program.ts', import.meta.url);
const LOAD = new URL('tenants/load-program.ts', import.meta.url);
const ROUNDS = 5;
const PHASE_MS = 12_000;
/** Lets the leftovers of the previous phase finish. */
const REST_MS = 1_000;
/** Calls of all measured tenants together. */
const CALLS_PER_SECOND = 15;
const SMALL = ['small-a', 'small-b', 'small-c', 'small-d'];
const OTHER = 'other';
const MANY = 100_000;
const TIMES_LIMIT = 20;
const SECOND_MS = 1_000;
const SHARE = 0.99;
const TOO_MANY = 429;

interface Scenario {
  readonly name: string;
  readonly memories: number;
  readonly load: Load;
  readonly wanted: number;
}

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'flood',
    memories: 0,
    load: { kind: 'Flood', perSecond: TIMES_LIMIT * CALL_LIMIT_DEFAULTS.key.perSecond },
    wanted: 1.5,
  },
  {
    name: 'large',
    memories: MANY,
    load: { kind: 'Constant', callers: { search: 8, add: 4 } },
    wanted: 5,
  },
];

export const SCENARIO_NAMES = SCENARIOS.map(({ name }) => name);

export async function run(args: readonly string[]): Promise<void> {
  const at = args.indexOf('--folder');
  const folder = at < 0 ? null : (args[at + 1] ?? null);
  const named = SCENARIOS.filter(({ name }) => args.includes(name));
  for (const scenario of named.length === 0 ? SCENARIOS : named) await measure(scenario, folder);
}

/** Milliseconds of each call, by kind. */
type Latencies = Readonly<Record<Kind, readonly number[]>>;

async function measure(scenario: Scenario, folder: string | null): Promise<void> {
  await using held = new AsyncDisposableStack();
  const own = await mkdtemp(path.join(tmpdir(), 'varve-bench-tenants-'));
  held.defer(() => rm(own, { recursive: true, force: true }));
  const dataDir = folder === null ? own : path.join(folder, scenario.name);
  await mkdir(dataDir, { recursive: true });
  const names = [...SMALL, OTHER];
  const size = String(scenario.memories);
  const server: Server = held.use(await startChild(SERVER, [dataDir, names.join(','), size]));
  const { url, keys } = server.ready;
  const tenants = names.map((tenant, place) => ({ tenant, key: keys[place] ?? '' }));
  const asked = JSON.stringify({ ...tenants.at(-1), url, load: scenario.load });
  const load: LoadProcess = held.use(await startChild(LOAD, [asked]));
  const calling = held.use(callingOf(url, () => ranMs(server.pid)));
  const measured = { calling, tenants: tenants.slice(0, -1), server };
  // The first round warms everything up, including the index of the large scope.
  await beside(load, () => sleep(PHASE_MS));
  await phase(measured);
  const rounds: { readonly alone: Phase; readonly with: Phase; readonly sent: Sent }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const alone = await phase(measured);
    const { phase: loaded, sent } = await beside(load, () => phase(measured));
    rounds.push({ alone, with: loaded, sent });
  }
  report(scenario, rounds);
}

type Server = Child<{ readonly url: string; readonly keys: readonly string[] }, object, Worked>;
type LoadProcess = Child<unknown, ToLoad, Sent | null>;

interface Phase extends Worked {
  readonly latencies: Latencies;
}

interface Measured {
  readonly calling: Calling;
  readonly tenants: readonly Tenant[];
  readonly server: Server;
}

/** Calls handed out so far: no two calls of a measurement are the same. */
let handedOut = 1_000;

async function phase({ calling, tenants, server }: Measured): Promise<Phase> {
  await sleep(REST_MS);
  const latencies = { search: [] as number[], context: [] as number[], add: [] as number[] };
  const underWay: Promise<void>[] = [];
  await server.ask({});
  const begun = performance.now();
  const calls = (PHASE_MS / SECOND_MS) * CALLS_PER_SECOND;
  const one = async (kind: Kind, place: number) => {
    const due = begun + (place * SECOND_MS) / CALLS_PER_SECOND;
    await sleep(Math.max(0, due - performance.now()));
    const tenant = tenants[Math.floor(place / KINDS.length) % tenants.length];
    if (tenant === undefined) throw new Error('There is nobody to measure.');
    handedOut += 1;
    const { status, body } = await calling.call(tenant, kind, handedOut);
    // If others delay it for too long, a tenant itself has too many calls under way.
    const isRefused = status === TOO_MANY;
    if (status !== 200 && !isRefused) throw new Error(`${kind}: ${String(status)} ${body}`);
    latencies[kind].push(isRefused ? Number.POSITIVE_INFINITY : performance.now() - due);
  };
  for (let place = 0; place < calls; place += 1) {
    underWay.push(one(KINDS[place % KINDS.length] ?? 'search', place));
  }
  await Promise.all(underWay);
  return { latencies, ...(await server.ask({})) };
}

async function beside<T>(load: LoadProcess, work: () => Promise<T>) {
  handedOut += MANY;
  await load.ask({ kind: 'Begin', from: handedOut });
  const done = await work();
  const sent = await load.ask({ kind: 'End' });
  if (sent === null) throw new Error('The load did not say what it sent.');
  return { phase: done, sent };
}

function report(
  { name, load, wanted }: Scenario,
  rounds: readonly { readonly alone: Phase; readonly with: Phase; readonly sent: Sent }[],
): void {
  const per = (of: (sent: Sent) => number) =>
    shown(spread(rounds.map(({ sent }) => of(sent) / sent.seconds)), 0);
  console.log(`\n${name}: ${JSON.stringify(load)}, ${String(ROUNDS)} rounds`);
  console.log(`  other: sent ${per((s) => s.calls)}/s, answered ${per((s) => s.answered)}/s, `);
  console.log(`    refused ${per((s) => s.refused)}/s, failed ${per((s) => s.failed)}/s`);
  const cpu = (of: 'alone' | 'with') =>
    shown(spread(rounds.map((each) => each[of].cpuMs / PHASE_MS)), 2);
  console.log(`  cores that the server used: alone ${cpu('alone')}, beside ${cpu('with')}`);
  for (const kind of [...KINDS, null]) {
    for (const by of ['latencies', 'during'] as const) {
      const of = (which: 'alone' | 'with', share: number) =>
        rounds.map(({ [which]: { [by]: ms } }) =>
          quantile(kind === null ? KINDS.flatMap((each) => ms[each]) : ms[kind], share),
        );
      const [alone, loaded] = [of('alone', SHARE), of('with', SHARE)];
      const middle = `${shown(spread(of('alone', 0.5)), 1)} → ${shown(spread(of('with', 0.5)), 1)}`;
      const ends = `${shown(spread(alone), 1)} → ${shown(spread(loaded), 1)}`;
      const what = `${(kind ?? 'all').padEnd(8)} ${by === 'during' ? 'CPU  ' : 'clock'}`;
      const times = `${shown(ratio(loaded, alone), 2)}, wanted ≤ ${String(wanted)}`;
      console.log(`  ${what} p50 ${middle}, p99 ${ends} ms, ratio ${times}`);
    }
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

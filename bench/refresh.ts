/**
 * `npm run bench -- refresh`: the cost of a durable summary compared with a workflow that does
 * nothing.
 *
 * Both have equally many activities, on the same server, in the same interleaved run. The model
 * takes no time, so the measured difference is Varve's: the window, the claim, the store, the
 * commit. CPU is that of this process and of the server. `--quick` leaves out the scope of 100,000
 * memories.
 */
import { cpus } from 'node:os';
import { Worker } from '@temporalio/worker';
import Table from 'cli-table3';
import { refreshWorkflowId } from '#core/refresh/refresh-contract.ts';
import { ITEMS_PER_BATCH_MAX } from '#core/refresh/plan-batches.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { installRuntime } from '#providers/temporal/worker.ts';
import {
  historySizes,
  summed,
  type HistorySize,
  type RunHistory,
  startBenchServer,
  type BenchServer,
} from './refresh/server.ts';
import { startIdleWorker } from './refresh/idle-worker.ts';
import { measureLargeScope, type LargeScopeCost } from './refresh/large-scope.ts';
import { openRefreshedTenants, type RefreshedTenants } from './refresh/refreshed-tenants.ts';
import { interleave, ratio, spread, type Spread } from './rounds.ts';

const ROUNDS = 7;
const OPERATIONS = 3;
const REPLAYS = 5;
const MANY = 10_000;
const VERY_MANY = 100_000;

/** Scopes of one tenant: projects share model calls, people never do. */
const SHAPES = [
  { name: `${String(ITEMS_PER_BATCH_MAX)} projects`, layer: 'project', count: ITEMS_PER_BATCH_MAX },
  { name: '8 people', layer: 'user', count: 8 },
] as const;
type Shape = (typeof SHAPES)[number];

export async function run(args: readonly string[]): Promise<void> {
  const [cpu] = cpus();
  console.log(`${String(cpus().length)} × ${cpu?.model ?? 'unknown'}, Node ${process.version}`);
  installRuntime(SILENT_LOG);
  await using server = await startBenchServer();
  await using tenants = await openRefreshedTenants(server.server.address);
  if (!server.isWhole) console.log('CPU of this process alone: the system hides the server’s.');
  const table = tableOf(['what', 'ours', 'idle', 'ratio', 'least', 'greatest', 'wanted']);
  for (const shape of SHAPES) table.push(...(await beside(shape, { server, tenants })));
  console.log(table.toString());
  await printReplay(tenants);
  await printCalls(tenants);
  const sizes = args.includes('--quick') ? [MANY] : [MANY, VERY_MANY];
  const costs: LargeScopeCost[] = [];
  for (const size of sizes) costs.push(await measureLargeScope(size));
  printLargeScopes(costs);
}

interface Place {
  readonly server: BenchServer;
  readonly tenants: RefreshedTenants;
}

/** Compares one shape with the workflow that does nothing: CPU, bytes of history, round trips. */
async function beside(shape: Shape, { server, tenants }: Place): Promise<string[][]> {
  const { name, layer, count } = shape;
  const { client } = tenants.client;
  await using idle = await startIdleWorker(server.server.address, client);
  const { cpuMs } = server;
  const tenantAt = (at: number) => `${layer}-${String(at)}`;
  const idleAt = (at: number) => `idle-${layer}-${String(at)}`;
  const runs = (ROUNDS + 1) * OPERATIONS;
  for (let at = 0; at < runs; at += 1) await tenants.prepare(tenantAt(at), { count, layer });
  await tenants.prepare(layer, { count, layer });
  const { calls: batches } = await tenants.refresh(layer);
  const timings = await interleave(
    [
      { name: 'ours', cpuMs, run: (at) => refreshed(tenants, tenantAt(at), count) },
      { name: 'idle', cpuMs, run: (at) => idle.run(idleAt(at), batches) },
    ],
    { rounds: ROUNDS, operations: OPERATIONS },
  );
  const own: HistorySize[] = [];
  const other: HistorySize[] = [];
  for (let at = 0; at < runs; at += 1) {
    own.push(summed(await historySizes(client, refreshWorkflowId(tenantAt(at)))));
    other.push(summed(await historySizes(client, idleAt(at))));
  }
  const ours = (timings.get('ours')?.cpuMs ?? []).map((ms) => ms / count);
  const theirs = (timings.get('idle')?.cpuMs ?? []).map((ms) => ms / count);
  const line = (what: string, [a, b]: readonly (readonly number[])[], wanted: string) =>
    lineOf(`${name} in ${plural(batches, 'call')}: ${what} a summary`, {
      ours: a ?? [],
      theirs: b ?? [],
      wanted,
    });
  const each = (sizes: readonly HistorySize[], of: keyof HistorySize) =>
    sizes.map((size) => size[of] / count);
  return [
    line('CPU ms', [ours, theirs], '≤ 1.5'),
    line('bytes of history', [each(own, 'bytes'), each(other, 'bytes')], ''),
    line('round trips', [each(own, 'roundTrips'), each(other, 'roundTrips')], ''),
  ];
}

async function refreshed(tenants: RefreshedTenants, tenant: string, count: number): Promise<void> {
  const { generated } = await tenants.refresh(tenant);
  if (generated !== count) throw new Error(`${String(generated)} of ${String(count)} summaries`);
}

/** Measures the longest run: as many batches as it may have before it continues as new. */
async function printReplay(tenants: RefreshedTenants): Promise<void> {
  const count = 40;
  await tenants.prepare('long', { count, layer: 'user' });
  await tenants.refresh('long');
  const runs = await historySizes(tenants.client.client, refreshWorkflowId('long'));
  const [longest] = runs.toSorted((a, b) => b.events - a.events);
  if (longest === undefined) throw new Error('No run was found.');
  const times: number[] = [];
  for (let at = 0; at <= REPLAYS; at += 1) times.push(await replay(tenants, longest));
  const { median, min, max } = spread(times.slice(1));
  const range = `${min.toFixed(0)}–${max.toFixed(0)}`;
  console.log(
    `the longest run: ${String(longest.events)} events, ${String(longest.bytes)} bytes; ` +
      `replayed in ${median.toFixed(0)} ms (${range})`,
  );
}

/** Returns the milliseconds. The bundle is loaded anew, as after a restart. */
async function replay(tenants: RefreshedTenants, { history }: RunHistory): Promise<number> {
  const startedAt = performance.now();
  await Worker.runReplayHistory({ workflowBundle: tenants.bundle }, history);
  return performance.now() - startedAt;
}

/** Prints what batching saves: summaries of one window compared with the calls that made them. */
async function printCalls(tenants: RefreshedTenants): Promise<void> {
  const count = 20 * ITEMS_PER_BATCH_MAX;
  await tenants.prepare('batched', { count, layer: 'project' });
  const { generated, calls } = await tenants.refresh('batched');
  const saved = (1 - calls / generated) * 100;
  console.log(
    `batching: ${String(generated)} summaries of one window in ${String(calls)} calls, ` +
      `${saved.toFixed(0)} % saved`,
  );
}

function printLargeScopes(costs: readonly LargeScopeCost[]): void {
  const table = tableOf([
    'memories',
    'tokens',
    'first: calls',
    'nodes',
    'tokens read',
    'one change: calls',
    'nodes',
    'tokens read',
    'of all tokens',
    'largest call',
    'spent of the budget, $',
  ]);
  for (const cost of costs) {
    const { memories, sourceTokens, first, change, largestInput, inputTokensMax } = cost;
    const dollars = [cost.spentMicroDollars, cost.budgetMicroDollars].map((micro) =>
      (micro / 1_000_000).toFixed(2),
    );
    table.push([
      ...[memories, sourceTokens, first.calls, first.nodes, first.inputTokens].map(String),
      ...[change.calls, change.nodes, change.inputTokens].map(String),
      `${((100 * change.inputTokens) / sourceTokens).toFixed(2)} %`,
      `${String(largestInput)} of ${String(inputTokensMax)}`,
      dollars.join(' of '),
    ]);
  }
  console.log(table.toString());
}

function lineOf(
  what: string,
  given: { ours: readonly number[]; theirs: readonly number[]; wanted: string },
): string[] {
  const { ours, theirs, wanted } = given;
  const middle = (values: readonly number[]) => spread(values).median.toFixed(2);
  const { median, min, max }: Spread = ratio(ours, theirs);
  const ratios = [median, min, max].map((value) => value.toFixed(2));
  return [what, middle(ours), middle(theirs), ...ratios, wanted];
}

function plural(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function tableOf(head: string[]) {
  return new Table({ head, style: { head: [], border: [] } });
}

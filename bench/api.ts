/**
 * `npm run bench -- api`: what a call over HTTP costs in addition to its own work. For each call,
 * it measures the CPU time of the server's process in three cases:
 * - over HTTP with an API key, validation, access checks, rate limits and audit;
 * - the same operation on the same store (with the key, the session and the audit's entry) behind a
 *   plain tRPC server;
 * - a bare tRPC procedure in a process of its own, which returns the same bytes at once.
 *
 * The difference between the first two is what Varve adds to a bare procedure. All calls come over
 * the network in the same rhythm. Batches hold 32 calls. The plain server starts them through the
 * fair scheduler, as the API does; the cost of that is measured against a plain server that starts
 * them at once.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CALL_NAMES, CALLS, type CallName } from './api/calls.ts';
import { startServer, type BenchServer } from './api/server.ts';
import { interleave, ratio, spread, type Contender, type Timing, shown } from './rounds.ts';

const VARVE = new URL('api/varve-program.ts', import.meta.url);
const BARE = new URL('api/bare-program.ts', import.meta.url);
const ROUNDS = 41;
/** Calls of each contender in one round; a multiple of a batch. */
const CALLS_PER_ROUND = 64;
const BATCH = 32;
const WANTED = 1.5;
const WANTED_BATCHED = 0.25;

/** Runs all calls, or only those named as arguments. */
export async function run(args: readonly string[]): Promise<void> {
  const names = CALL_NAMES.filter((name) => args.length === 0 || args.includes(name));
  await using held = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'varve-bench-api-'));
  held.defer(() => rm(folder, { recursive: true, force: true }));
  const varve = held.use(await startServer(VARVE, [folder]));
  const bare = held.use(await startServer(BARE, []));
  const answers: Record<string, unknown> = {};
  for (const name of names) answers[name] = await answerOf(varve, name);
  await bare.ask({ kind: 'Answers', answers });
  console.log(`${String(ROUNDS)} rounds of ${String(CALLS_PER_ROUND)} calls, ms of CPU a call`);
  for (const name of names) {
    const contenders = contendersOf(name, varve, bare);
    const timings = await interleave(contenders, { rounds: ROUNDS, operations: 1 });
    report(name, timings);
  }
}

/** Calls handed out so far: no two calls of a measurement are the same. */
let handedOut = 0;
function nextCalls(): number {
  handedOut += CALLS_PER_ROUND;
  return handedOut;
}

function contendersOf(name: CallName, varve: BenchServer, bare: BenchServer): readonly Contender[] {
  const cpuOf = (server: BenchServer) => () => server.ask({ kind: 'Cpu' });
  const plain = { url: varve.plainUrl ?? '', key: 'none' };
  const atOnce = { url: varve.atOnceUrl ?? '', key: 'none' };
  const over = (server: Pick<BenchServer, 'url' | 'key'>, size: number) => async () => {
    const from = nextCalls();
    for (let at = from; at < from + CALLS_PER_ROUND; at += size)
      await send(server, name, { at, size });
  };
  return [
    { name: 'http', run: over(varve, 1), cpuMs: cpuOf(varve) },
    { name: 'batched', run: over(varve, BATCH), cpuMs: cpuOf(varve) },
    { name: 'plain', run: over(plain, 1), cpuMs: cpuOf(varve) },
    { name: 'plain batched', run: over(plain, BATCH), cpuMs: cpuOf(varve) },
    { name: 'at once', run: over(atOnce, BATCH), cpuMs: cpuOf(varve) },
    { name: 'bare', run: over(bare, 1), cpuMs: cpuOf(bare) },
    { name: 'bare batched', run: over(bare, BATCH), cpuMs: cpuOf(bare) },
  ];
}

/** Sends a call, or several in one tRPC request. */
async function send(
  { url, key }: Pick<BenchServer, 'url' | 'key'>,
  name: CallName,
  { at, size }: { at: number; size: number },
): Promise<unknown> {
  const { kind, input } = CALLS[name];
  const inputs = Array.from({ length: size }, (_, n) => input(at + n));
  const isBatch = size > 1;
  const names = inputs.map(() => name).join(',');
  const text = JSON.stringify(isBatch ? Object.fromEntries(inputs.entries()) : inputs[0]);
  const query = kind === 'query' ? `input=${encodeURIComponent(text)}` : '';
  const search = [isBatch ? 'batch=1' : '', query].filter((part) => part !== '').join('&');
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const request = kind === 'query' ? { headers } : { headers, method: 'POST', body: text };
  const response = await fetch(`${url}/${names}?${search}`, request);
  const answer: unknown = await response.json();
  if (response.status !== 200) throw new Error(`${name}: ${JSON.stringify(answer)}`);
  return answer;
}

async function answerOf(server: BenchServer, name: CallName): Promise<unknown> {
  const answer = await send(server, name, { at: nextCalls(), size: 1 });
  return (answer as { result: { data: unknown } }).result.data;
}

function report(name: CallName, timings: ReadonlyMap<string, Timing>): void {
  const of = (contender: string) =>
    (timings.get(contender)?.cpuMs ?? []).map((ms) => ms / CALLS_PER_ROUND);
  const [plain, bare] = [of('plain'), of('bare')];
  const [http, batched, plainBatched] = [of('http'), of('batched'), of('plain batched')];
  const [bareBatched, atOnce] = [of('bare batched'), of('at once')];
  /** The cost of a bare procedure plus what Varve adds, divided by the cost of a bare procedure. */
  const cost = (whole: readonly number[], without: readonly number[], own: readonly number[]) =>
    spread(
      whole.map((ms, at) => ((own[at] ?? 0) + ms - (without[at] ?? 0)) / (bare[at] ?? Number.NaN)),
    );
  console.log(`\n${name}`);
  for (const [what, values] of [
    ['over HTTP', http],
    ['plain, same store', plain],
    ['bare', bare],
    ['over HTTP, batched', batched],
    ['plain, batched', plainBatched],
    ['  all at once', atOnce],
    ['bare, batched', bareBatched],
  ] as const) {
    console.log(`  ${what.padEnd(20)} ${shown(spread(values), 3)}`);
  }
  console.log(
    `  interface / bare      ${shown(cost(http, plain, bare), 2)}, wanted ≤ ${String(WANTED)}`,
  );
  const wanted = `wanted ≤ ${String(WANTED_BATCHED)}`;
  console.log(
    `  interface, batched    ${shown(cost(batched, plainBatched, bareBatched), 2)}, ${wanted}`,
  );
  const scheduler = ratio(
    plainBatched.map((ms, at) => ms - (atOnce[at] ?? 0)),
    bare,
  );
  console.log(`  scheduler / bare, batched  ${shown(scheduler, 2)}`);
}

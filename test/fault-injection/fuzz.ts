/**
 * `npm run prove -- fuzz [REQUESTS]`: calls a running API server over REST, tRPC and MCP with
 * inputs and requests that are spoiled in every field and on the wire, and judges each answer.
 *
 * Guarantees checked: no input is a failure of the server's; every error has a code of the table
 * and says nothing of memories, secrets or the inside of the server; every request is answered in
 * time; nobody hears of another's data or changes it; the process lives, and holds no more memory
 * afterwards than before.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { diceOf } from './fuzz/dice.ts';
import { draftOf, FACES, type Draft, type Face } from './fuzz/drafts.ts';
import { findingsOf } from './fuzz/judge.ts';
import { startFuzzedServer, type FuzzedServer } from './fuzz/server.ts';
import { send, wireOf, type Answer } from './fuzz/wire.ts';
import { BOB_CANARY, OTHER_CANARY, OTHER_TENANT, OWN_TENANT, type Caller } from './fuzz/harness.ts';
import { SEED } from './seeded-sample.ts';

const REQUESTS = 100_000;
/** Requests under way. */
const LANES = 16;
/** Of all requests, those that go before memory is first measured. */
const WARM_SHARE = 0.5;
const GROWTH_MAX = 1.1;
const OPERATOR_PERCENT = 20;
/** Kinds of findings that are told apart, and examples of each. */
const KINDS_MAX = 40;
const EXAMPLES_MAX = 3;
const SHOWN_LENGTH_MAX = 400;

export interface Fuzzed {
  /** What is wrong, once for each kind, with an example. */
  readonly findings: readonly string[];
  readonly wrong: number;
  /** Answers by face and status; `none` where the connection was closed. */
  readonly statuses: Readonly<Record<Face, Readonly<Record<string, number>>>>;
  /** Fields of operations that were spoiled. */
  readonly fields: number;
  readonly slowestMs: number;
  /** Bytes held before, after warming up, and at the end. */
  readonly held: readonly number[];
}

export interface FuzzRun {
  readonly seed: number;
  readonly requests: number;
  /** Whether memory is compared, which takes enough requests to warm up with. */
  readonly isMemoryJudged: boolean;
}

/** What came of so many requests; the same ones for the same seed. */
export async function fuzzed({ seed, requests, isMemoryJudged }: FuzzRun): Promise<Fuzzed> {
  const token = randomUUID();
  await using server = await startFuzzedServer(token);
  const tally = newTally();
  const before = await otherTenant(server, token);
  const held = [await server.heldBytes()];
  const warm = Math.floor(requests * WARM_SHARE);
  const run = { server, token, seed, tally };
  await inLanes(run, { from: 0, to: warm });
  if (isMemoryJudged) held.push(await server.heldBytes());
  await inLanes(run, { from: warm, to: requests });
  if (isMemoryJudged) held.push(await server.heldBytes());
  if (!server.isAlive()) tally.note('the server ended', '');
  else if ((await otherTenant(server, token)) !== before) tally.note("another's data changed", '');
  const [, warmBytes = 0, endBytes = 0] = held;
  if (isMemoryJudged && endBytes > warmBytes * GROWTH_MAX) {
    tally.note('memory did not come back', `${mib(warmBytes)} to ${mib(endBytes)}`);
  }
  for (const words of server.errors) tally.note('logged as an error', words);
  return { ...tally.result(), held };
}

interface Run {
  readonly server: FuzzedServer;
  readonly token: string;
  readonly seed: number;
  readonly tally: Tally;
}

async function inLanes(run: Run, { from, to }: { from: number; to: number }): Promise<void> {
  let next = from;
  const lane = async (): Promise<void> => {
    while (next < to && run.server.isAlive()) {
      const at = next;
      next += 1;
      await ask(run, at);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

async function ask({ server, token, seed, tally }: Run, at: number): Promise<void> {
  const { url, harness, folder } = server;
  const dice = diceOf(seed * 1_000_003 + at);
  const face = FACES[at % FACES.length] ?? 'REST';
  const isOperator = dice.percent(OPERATOR_PERCENT);
  const operator: Caller = { name: 'operator', secret: token, isBound: false };
  const caller = isOperator ? operator : (dice.any(harness.callers) ?? operator);
  const { anns, bobs, others } = harness;
  // The operator may do everything, and so names nothing that is looked at afterwards.
  const ids = isOperator ? Object.values(bobs) : [bobs, others].flatMap(Object.values);
  const names = (ids as readonly string[]).filter((id) => id !== OWN_TENANT);
  const things = dice.percent(isOperator ? 0 : 5) ? others : anns;
  const draft = draftOf(face, { dice, things, names });
  const sent = wireOf(draft, caller.secret, { host: url.host, dice });
  const answer = await send(sent, url);
  const ofBob = caller.name.startsWith('of-ann') ? [BOB_CANARY] : [];
  const foreign = isOperator ? [] : [OTHER_CANARY, ...ofBob];
  const secret = [token, folder, ...harness.callers.map((each) => each.secret)];
  tally.count(draft, answer);
  for (const finding of findingsOf({ sent, answer, foreign, secret })) {
    const what = `${face} ${draft.name} ${sent.spoiling}`;
    const where = `${what} as ${caller.name} (request ${String(at)})`;
    const asked = shown(sent.bytes.toString('latin1').replaceAll(caller.secret, '…'));
    tally.note(finding, `${where}\n    ${asked}\n    ${shown(answer.body)}`);
  }
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, SHOWN_LENGTH_MAX));
}

/** Everything that the other tenant has, as its operator reads it. */
async function otherTenant({ url, harness }: FuzzedServer, token: string): Promise<string> {
  const { memory, session, user } = harness.others;
  const base = new URL(`/v1/tenants/${OTHER_TENANT}/`, url);
  const whose = `userId=${user}&projectId=${user}s-project`;
  const paths = [
    `memories?${whose}`,
    `memories/${memory}/history`,
    `sessions/${session}/turns`,
    `document?subject=${encodeURIComponent(JSON.stringify({ kind: 'user', id: user }))}`,
    'dreams',
    'keys',
    'budget',
  ];
  const headers = { authorization: `Bearer ${token}` };
  const answers = paths.map(async (path) => {
    const response = await fetch(new URL(path, base), { headers });
    return `${path} ${String(response.status)} ${await response.text()}`;
  });
  return (await Promise.all(answers)).join('\n');
}

interface Tally {
  count(draft: Draft, answer: Answer): void;
  note(finding: string, example: string): void;
  result(): Omit<Fuzzed, 'held'>;
}

function newTally(): Tally {
  const statuses: Record<Face, Record<string, number>> = { REST: {}, tRPC: {}, MCP: {} };
  const kinds = new Map<string, { count: number; readonly examples: string[] }>();
  const fields = new Set<string>();
  let slowestMs = 0;
  return {
    count: (draft, { status, ms }) => {
      const row = statuses[draft.face];
      const key = status === null ? 'none' : String(status);
      row[key] = (row[key] ?? 0) + 1;
      for (const field of draft.fields) fields.add(`${draft.face} ${draft.name} ${field}`);
      slowestMs = Math.max(slowestMs, ms);
    },
    note: (finding, example) => {
      const kind = kinds.get(finding);
      if (kind === undefined) {
        if (kinds.size < KINDS_MAX) kinds.set(finding, { count: 1, examples: [example] });
        return;
      }
      kind.count += 1;
      if (kind.examples.length < EXAMPLES_MAX) kind.examples.push(example);
    },
    result: () => ({
      findings: [...kinds].map(
        ([finding, { count, examples }]) =>
          `${finding}, ${String(count)} times:\n  ${examples.join('\n  ')}`,
      ),
      wrong: [...kinds.values()].reduce((sum, { count }) => sum + count, 0),
      statuses,
      fields: fields.size,
      slowestMs,
    }),
  };
}

function mib(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MiB`;
}

/** With a number as argument so many requests. */
export async function run(args: readonly string[]): Promise<{ passed: number; failed: number }> {
  const requests = z.coerce.number().int().positive().default(REQUESTS).parse(args[0]);
  const isMemoryJudged = requests >= REQUESTS / 10;
  const found = await fuzzed({ seed: SEED, requests, isMemoryJudged });
  const { findings, statuses, fields, slowestMs, held, wrong } = found;
  for (const finding of findings) process.stdout.write(`FAILED  ${finding}\n`);
  for (const face of FACES) {
    const counts = Object.entries(statuses[face]).map(
      ([status, count]) => `${status} × ${String(count)}`,
    );
    process.stdout.write(`${face.padEnd(5)} ${counts.join(', ')}\n`);
  }
  process.stdout.write(
    `${String(fields)} fields spoiled; slowest answer ${slowestMs.toFixed(0)} ms; held memory ` +
      `${held.map(mib).join(', ')}; seed ${String(SEED)}\n`,
  );
  const passed = Math.max(requests - wrong, 0);
  process.stdout.write(`${String(passed)} passed, ${String(wrong)} failed\n`);
  return { passed, failed: wrong };
}

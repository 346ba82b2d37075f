/**
 * `npm run prove -- mongodb [SEED…]`: kills the MongoDB server in the midst of writers of two
 * stores, again and again, starts it on the file that it left, and looks at what is there.
 *
 * Guarantees checked: a write that was acknowledged is there, once; one that failed had a code and
 * is there whole or not at all; counts, hashes, histories and accounts agree with the records.
 * The server is the one of test/cluster/mongodb, which writes to its file before it answers.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { reservedOf } from '#core/budget/budget-account.ts';
import { VarveError } from '#core/errors.ts';
import { sourceHashOf } from '#core/hash.ts';
import type { Store } from '#core/ports/store.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { openMongoStore } from '#providers/mongodb/store.ts';
import { createPlatform } from '#providers/node/platform.ts';

import { missingForOwnMongodb, startKillableMongodb } from '../cluster/test-mongodb.ts';
import { allSources } from '../conformance/refresh.ts';
import {
  digest,
  memoryOf,
  newContent,
  NOW,
  rulesAt,
  sessionScope,
  turnOf,
  userScope,
} from '../conformance/samples.ts';
import { seededSample } from './seeded-sample.ts';

const TENANT = 'acme';
/** Of each of the two stores, all on one scope, one session and one account. */
const WRITERS = 16;
const KILLS = 4;
const SEEDS = 8;
/** Acknowledged writes between two kills, by the seed. */
const BETWEEN = [10, 25, 40, 60, 90, 130] as const;
const ROUNDS_MAX = 10_000;
const ENTRIES_MAX = 100_000;
const BUDGET = {
  limitTokens: ENTRIES_MAX,
  limitMicroDollars: null,
  onExhausted: 'Reject',
} as const;
const CODES: ReadonlySet<string> = new Set(['PROVIDER_ERROR', 'TIMEOUT', 'RATE_LIMITED']);

export interface Kills {
  readonly seed: number;
  readonly kills: number;
}

/** What the writers know of what they wrote. */
interface Told {
  /** What each memory may hold: several contents where a write failed; null for none. */
  readonly memories: Map<string, readonly (string | null)[]>;
  readonly turns: Map<string, 'Sure' | 'Unsure'>;
  /** Tokens that are reserved or spent by each attempt. */
  readonly attempts: Map<string, 'Sure' | 'Unsure'>;
  acknowledged: number;
  readonly refused: unknown[];
}

export interface Found {
  /** What is wrong; empty where all is as it should be. */
  readonly findings: readonly string[];
  /** Writes, over all kills. */
  readonly acknowledged: number;
  readonly refused: number;
}

/** What the server holds after the kills, beside what its writers were told. */
export async function afterKills({ seed, kills }: Kills): Promise<Found> {
  await using held = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'varve-mongodb-'));
  held.defer(() => rm(folder, { recursive: true, force: true }));
  const server = held.use(await startKillableMongodb(path.join(folder, 'documents.mv')));
  const open = () =>
    openMongoStore({
      uri: server.uri,
      database: 'varve',
      platform: createPlatform(),
      analyzer: createTextAnalyzer(),
    });
  const told: Told = {
    memories: new Map(),
    turns: new Map(),
    attempts: new Map(),
    acknowledged: 0,
    refused: [],
  };
  const killing = { isDone: false };
  {
    await using first = await open();
    await using second = await open();
    const writers = Array.from({ length: 2 * WRITERS }, (_, writer) =>
      writeUntil(killing, writer % 2 === 0 ? first : second, { told, writer }),
    );
    for (let kill = 0; kill < kills; kill += 1) {
      const [between = 0] = seededSample(BETWEEN, 1, seed * (kills + 1) + kill);
      await reached(told, told.acknowledged + between);
      await server.kill();
      await server.revive();
    }
    await reached(told, told.acknowledged + 1);
    killing.isDone = true;
    await Promise.all(writers);
  }
  await using store = await open();
  const strange = told.refused.filter((error) => !isOutage(error));
  const findings = [
    ...strange.map((error) => `a write failed: ${String(error)}`),
    ...(await memoryFindings(store, told)),
    ...(await turnFindings(store, told)),
    ...(await accountFindings(store, told)),
  ];
  return { findings, acknowledged: told.acknowledged, refused: told.refused.length };
}

function isOutage(error: unknown): boolean {
  return error instanceof VarveError && CODES.has(error.code);
}

async function reached(told: Told, count: number): Promise<void> {
  while (told.acknowledged < count) await new Promise((resolve) => setTimeout(resolve, 1));
}

interface Writer {
  readonly told: Told;
  readonly writer: number;
}

async function writeUntil(
  killing: { readonly isDone: boolean },
  store: Store,
  { told, writer }: Writer,
): Promise<void> {
  for (let n = 0; n < ROUNDS_MAX && !killing.isDone; n += 1) {
    const place = writer * ROUNDS_MAX + n;
    await writeMemory(store, told, place);
    await writeTurn(store, told, place);
    await writeAttempt(store, told, place);
  }
}

/** Adds a memory, and updates or deletes it; one whose write failed is left as it is. */
async function writeMemory(store: Store, told: Told, n: number): Promise<void> {
  const memory = memoryOf(TENANT, n);
  const { id, content } = memory;
  const rules = rulesAt(NOW);
  const became = (next: string | null, write: () => Promise<unknown>) => {
    const before = told.memories.get(id) ?? [null];
    told.memories.set(id, [...before, next]);
    return acknowledging(told, write, () => told.memories.set(id, [next]));
  };
  if (!(await became(content, () => store.memories.add(memory, rules)))) return;
  const key = { tenant: TENANT, id };
  if (n % 3 === 0) await became(null, () => store.memories.delete(key, rules));
  if (n % 3 !== 1) return;
  const changed = newContent(`Changed to ${String(n)}.`);
  await became(changed.content, () => store.memories.update(key, { content: changed }, rules));
}

async function writeTurn(store: Store, told: Told, n: number): Promise<void> {
  const turn = turnOf(TENANT, n);
  told.turns.set(turn.id, 'Unsure');
  const append = () => store.turns.append([turn], rulesAt(NOW));
  await acknowledging(told, append, () => told.turns.set(turn.id, 'Sure'));
}

async function writeAttempt(store: Store, told: Told, n: number): Promise<void> {
  const attemptId = `attempt-${String(n)}`;
  const whole = { tenant: TENANT, batchId: 'b', purpose: 'summary', model: 'm' } as const;
  const attempt = { ...whole, attemptId };
  const amount = { tokens: 1, microDollars: 0 };
  told.attempts.set(attemptId, 'Unsure');
  const reserve = () => store.accounts.reserve({ attempt, amount, budget: BUDGET, now: NOW });
  const sure = () => told.attempts.set(attemptId, 'Sure');
  if (!(await acknowledging(told, reserve, sure)) || n % 2 === 0) return;
  const settlement = { outcome: 'Usage', now: NOW } as const;
  const settle = () => store.accounts.settle({ tenant: TENANT, attemptId }, amount, settlement);
  await acknowledging(told, settle, () => undefined);
}

async function acknowledging(
  told: Told,
  write: () => Promise<unknown>,
  note: () => unknown,
): Promise<boolean> {
  try {
    await write();
  } catch (error) {
    told.refused.push(error);
    return false;
  }
  note();
  told.acknowledged += 1;
  return true;
}

async function memoryFindings(store: Store, { memories }: Told): Promise<readonly string[]> {
  const findings: string[] = [];
  let changes = 0;
  for (const [id, allowed] of memories) {
    const key = { tenant: TENANT, id };
    const found = await store.memories.get(TENANT, id);
    if (!allowed.includes(found?.content ?? null)) findings.push(`${id} is lost or was undone`);
    const history = await store.memories.history(key, { beforeVersion: null, limit: 9 });
    changes += history.length;
    const versions = history.map(({ version }) => version).toReversed();
    // One change for each write that is in: a second one would be a write that was done twice.
    const isWhole = versions.every((version, at) => version === at + 1) && versions.length <= 2;
    if (!isWhole) findings.push(`${id} has the versions ${versions.join(', ')}`);
  }
  const scope = userScope(TENANT);
  const record = await store.scopes.get(scope);
  const sources = await allSources(store, scope, NOW);
  if (new Set(sources.map(({ id }) => id)).size !== sources.length)
    findings.push('doubled sources');
  const counted = { sources: record.sourceCount, changes: record.changes };
  const expected = { sources: sources.length, changes };
  if (JSON.stringify(counted) !== JSON.stringify(expected)) {
    findings.push(`counted ${JSON.stringify(counted)} of ${JSON.stringify(expected)}`);
  }
  if (record.sourceHash !== sourceHashOf(digest, sources)) findings.push('another source hash');
  return findings;
}

async function turnFindings(store: Store, { turns }: Told): Promise<readonly string[]> {
  const session = { tenant: TENANT, sessionId: 'call' };
  const said = await store.turns.latest(session, turns.size + 1);
  const ids = said.map(({ id }) => id);
  const findings = [...turns]
    .filter(([id, how]) => how === 'Sure' && !ids.includes(id))
    .map(([id]) => `${id} is lost`);
  if (new Set(ids).size !== ids.length) findings.push('doubled turns');
  if (said.some(({ sequence }, at) => sequence !== at + 1)) findings.push('turns with a gap');
  const { sourceCount } = await store.scopes.get(sessionScope(TENANT));
  if (sourceCount !== ids.length) {
    findings.push(`counted ${String(sourceCount)} of ${String(ids.length)} turns`);
  }
  return findings;
}

async function accountFindings(store: Store, { attempts }: Told): Promise<readonly string[]> {
  const entries = await store.accounts.entries(TENANT, { limit: ENTRIES_MAX });
  const known = new Set(entries.map(({ attemptId }) => attemptId));
  const findings = [...attempts]
    .filter(([id, how]) => how === 'Sure' && !known.has(id))
    .map(([id]) => `${id} is lost`);
  const account = await store.accounts.get(TENANT, '2026-11', BUDGET);
  const held = account.spent.tokens + reservedOf(account).tokens;
  if (held !== entries.length) {
    findings.push(`the account holds ${String(held)} of ${String(entries.length)} attempts`);
  }
  return findings;
}

/** With seeds as arguments only those. */
export async function run(args: readonly string[]): Promise<{ passed: number; failed: number }> {
  const missing = await missingForOwnMongodb();
  if (missing !== null) {
    process.stdout.write(`not run: it needs ${missing}\n`);
    return { passed: 0, failed: 0 };
  }
  const given = args.map(Number);
  const seeds = given.length > 0 ? given : Array.from({ length: SEEDS }, (_, at) => at + 1);
  const counts = { passed: 0, failed: 0 };
  for (const seed of seeds) {
    const { findings, acknowledged, refused } = await afterKills({ seed, kills: KILLS });
    const ok = findings.length === 0;
    counts[ok ? 'passed' : 'failed'] += 1;
    const writes = `${String(acknowledged)} writes acknowledged, ${String(refused)} refused`;
    const name = `seed ${String(seed)}, ${String(KILLS)} kills: ${writes}`;
    process.stdout.write(`${ok ? 'ok    ' : 'FAILED'}  ${[name, ...findings].join('; ')}\n`);
  }
  process.stdout.write(`${String(counts.passed)} passed, ${String(counts.failed)} failed\n`);
  return counts;
}

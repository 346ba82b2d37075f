/** One case: three processes, a crash, a successor, and the tick that settles the rest. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { settleLostReservations } from '#activities/settle-lost-reservations.ts';
import { reservedOf } from '#core/budget/budget-account.ts';
import type { Store } from '#core/ports/store.ts';
import type { Account, LedgerEntry } from '#core/records/account.ts';
import { createPlatform } from '#providers/node/platform.ts';
import {
  BUDGET,
  MODELS,
  openBudgetStore,
  PERIODS,
  TENANT,
  type Death,
  type Line,
  type Place,
  type Reserver,
} from './budget-harness.ts';

const RESERVER = fileURLToPath(new URL('budget-reserver.ts', import.meta.url));
/** Fifty reservers in three processes. */
const LANES = [17, 17, 16] as const;
const BATCHES = 6;
const ENTRIES_MAX = 10_000;
const LOOK_EVERY_MS = 20;
const DAY_MS = 86_400_000;
/** More ticks than the reservations of any case need. */
const TICKS_MAX = 20;

export interface BudgetCase {
  readonly id: string;
  readonly store: Place['kind'];
  readonly death: Death['point'] | null;
  readonly seed: number;
}

export interface BudgetEnd {
  /** What the provider charged for each attempt: what its bill would say. */
  readonly bill: ReadonlyMap<string, number>;
  /** Attempts that the budget refused. */
  readonly refused: number;
  readonly entries: readonly LedgerEntry[];
  readonly accounts: readonly Account[];
  /** By how much a period was seen above its limit and the grants that it had then. */
  readonly overdrafts: readonly number[];
  readonly deaths: number;
}

export async function runBudgetCase({ death, seed }: BudgetCase, place: Place): Promise<BudgetEnd> {
  await using store = await openBudgetStore(place);
  const lines: Line[] = [];
  const overdrafts = PERIODS.map(() => 0);
  const reserver = (n: number): Reserver => ({
    place,
    name: `p${n}`,
    lanes: LANES[n] ?? 0,
    batches: BATCHES,
    retries: [],
    seed: seed * 7 + n + 1,
    death: n === 0 && death !== null ? { point: death, after: 5 + seed } : null,
  });
  const running = { isDone: false };
  const looking = watch(store, overdrafts, running);
  const ended = LANES.map((_, n) => runReserver(reserver(n), lines));
  const signals = [await ended[0]];
  // The runs of half of its lanes are started again; the others are never heard of again.
  const retries = batchesOf('p0').filter((_, n) => n % 2 === 0);
  const successor = { ...reserver(0), name: 'p3', lanes: 4, retries, death: null };
  if (death !== null) ended.push(runReserver({ ...successor, seed: seed + 99 }, lines));
  signals.push(...(await Promise.all(ended.slice(1))));
  running.isDone = true;
  await looking;
  await tick(store);
  return {
    bill: billOf(lines),
    refused: lines.filter(({ tokens }) => tokens === null).length,
    entries: await store.accounts.entries(TENANT, { limit: ENTRIES_MAX }),
    accounts: await accountsOf(store),
    overdrafts,
    deaths: signals.filter((signal) => signal === 'SIGKILL').length,
  };
}

function batchesOf(name: string): readonly string[] {
  return Array.from({ length: LANES[0] }, (_, lane) =>
    Array.from({ length: BATCHES }, (__, n) => `${name}-${lane}-${n}`),
  ).flat();
}

/** A call that was made twice is charged twice. */
function billOf(lines: readonly Line[]): ReadonlyMap<string, number> {
  const bill = new Map<string, number>();
  for (const { attemptId, tokens } of lines) {
    if (tokens !== null) bill.set(attemptId, (bill.get(attemptId) ?? 0) + tokens);
  }
  return bill;
}

/** Resolves with the signal that ended it; what it was charged is on the bill by then. */
async function runReserver(reserver: Reserver, lines: Line[]): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, [RESERVER, JSON.stringify(reserver)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(JSON.parse(line) as Line);
  });
  await once(child, 'close');
  if (child.signalCode === null && child.exitCode !== 0) {
    throw new Error(`${reserver.name} ended with status ${String(child.exitCode)}.`);
  }
  return child.signalCode;
}

async function watch(
  store: Store,
  overdrafts: number[],
  running: { isDone: boolean },
): Promise<void> {
  while (!running.isDone) {
    for (const [n, account] of (await accountsOf(store)).entries()) {
      const taken = account.spent.tokens + reservedOf(account).tokens;
      const over = taken - (account.limitTokens ?? 0) - account.granted.tokens;
      overdrafts[n] = Math.max(overdrafts[n] ?? 0, over);
    }
    await sleep(LOOK_EVERY_MS);
  }
}

function accountsOf(store: Store): Promise<readonly Account[]> {
  return Promise.all(PERIODS.map(({ name }) => store.accounts.get(TENANT, name, BUDGET)));
}

/** The tick of a day later: everything that was left is older than any call. */
async function tick(store: Store): Promise<void> {
  const platform = { ...createPlatform(), clock: () => PERIODS[1].at + DAY_MS };
  for (let ticks = 0; ticks < TICKS_MAX; ticks += 1) {
    if ((await settleLostReservations({ store, platform, models: MODELS })) === 0) return;
  }
}

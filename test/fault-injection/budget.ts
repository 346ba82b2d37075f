/**
 * `npm run prove -- budget [ID…]`: fifty reservers of one tenant in three processes on one store,
 * with a death between reserving, answering, storing and settling, lost answers, repeated calls,
 * the turn of a month, and grants.
 *
 * Guarantees checked: spent and reserved never pass the limit with its grants, at any moment seen;
 * every reservation ends settled without anybody's help; nothing that the provider charged is
 * missing, nothing is counted twice, and an answer that was stored is counted as it was used.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { missingForMongodb, startTestMongodb } from '../cluster/test-mongodb.ts';
import { runBudgetCase, type BudgetCase, type BudgetEnd } from './budget-run.ts';
import {
  ALLOWED_TOKENS,
  GRANTED_TOKENS,
  GRANT_KEYS,
  PERIODS,
  type Place,
} from './budget-harness.ts';

const FINDINGS_SHOWN_MAX = 5;
const DEATHS = [null, 'Reserved', 'Answered', 'Stored', 'Settled'] as const;
const SEEDS = { sqlite: [1, 2, 3], mongodb: [1] } as const;

export const BUDGET_CASES: readonly BudgetCase[] = (['sqlite', 'mongodb'] as const).flatMap(
  (store) =>
    DEATHS.flatMap((death) =>
      SEEDS[store].map((seed) => {
        const id = `${store}-${(death ?? 'alive').toLowerCase()}-${String(seed)}`;
        return { id, store, death, seed };
      }),
    ),
);

/** What is wrong at the end of a case on SQLite; empty where all is as it should be. */
export async function budgetFindings(given: BudgetCase, uri?: string): Promise<readonly string[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'varve-budget-'));
  try {
    const end = await runBudgetCase(given, placeOf(given, folder, uri));
    return findingsOf(given, end);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function placeOf({ id, store }: BudgetCase, folder: string, uri = ''): Place {
  if (store === 'sqlite') return { kind: 'sqlite', file: path.join(folder, 'varve.db') };
  return { kind: 'mongodb', uri, database: `varve-${id}-${String(process.pid)}` };
}

function findingsOf({ death }: BudgetCase, end: BudgetEnd): readonly string[] {
  const findings: string[] = [];
  const expect = (what: string, holds: boolean): void => {
    if (!holds) findings.push(what);
  };
  const { bill, refused, entries, accounts, overdrafts, deaths } = end;
  expect(`${String(deaths)} processes died`, deaths === (death === null ? 0 : 1));
  expect('nothing was charged', bill.size > 0);
  expect('the limit refused nothing', refused > 0);
  for (const [n, account] of accounts.entries()) {
    const name = PERIODS[n]?.name ?? '';
    const { spent, open, granted } = account;
    const own = entries.filter(({ period }) => period === name);
    expect(`${name}: ${String(spent.tokens)} spent`, spent.tokens <= ALLOWED_TOKENS);
    expect(`${name}: ${String(overdrafts[n])} above the limit at once`, overdrafts[n] === 0);
    expect(`${name}: ${String(open.length)} reservations open`, open.length === 0);
    expect(
      `${name}: ${String(granted.tokens)} granted`,
      granted.tokens === GRANT_KEYS.length * GRANTED_TOKENS,
    );
    expect(`${name}: the ledger tells another sum`, sumOf(own) === spent.tokens);
  }
  const byAttempt = new Map(entries.map((entry) => [entry.attemptId, entry]));
  expect('an attempt has two entries', byAttempt.size === entries.length);
  for (const [attemptId, tokens] of bill) {
    const entry = byAttempt.get(attemptId);
    const counted = entry?.spent.tokens ?? 0;
    const isExact = entry?.outcome === 'Usage' ? counted === tokens : counted >= tokens;
    expect(`${attemptId}: charged ${String(tokens)}, counted ${String(counted)}`, isExact);
  }
  for (const { attemptId, state, outcome, spent } of entries) {
    expect(`${attemptId} is ${state}`, state !== 'Reserved');
    const isFree = bill.has(attemptId) || outcome !== 'Usage' || spent.tokens === 0;
    expect(`${attemptId}: counted as used and never charged`, isFree);
  }
  return findings;
}

function sumOf(entries: BudgetEnd['entries']): number {
  return entries.reduce((sum, { spent }) => sum + spent.tokens, 0);
}

/** With ids as arguments only those cases. */
export async function run(args: readonly string[]): Promise<{ passed: number; failed: number }> {
  const chosen = BUDGET_CASES.filter(({ id }) => args.length === 0 || args.includes(id));
  await using held = new AsyncDisposableStack();
  const missing = await missingForMongodb();
  const needsMongodb = missing === null && chosen.some(({ store }) => store === 'mongodb');
  const uri = needsMongodb ? held.use(await startTestMongodb()).uri : undefined;
  const counts = { passed: 0, failed: 0 };
  for (const given of chosen) {
    if (given.store === 'mongodb' && uri === undefined) {
      process.stdout.write(`not run: ${given.id} needs ${missing ?? 'MongoDB'}\n`);
      continue;
    }
    const findings = await budgetFindings(given, uri).catch((error: unknown) => [String(error)]);
    const ok = findings.length === 0;
    counts[ok ? 'passed' : 'failed'] += 1;
    const said = [given.id, ...findings.slice(0, FINDINGS_SHOWN_MAX)].join('; ');
    process.stdout.write(`${ok ? 'ok    ' : 'FAILED'}  ${said}\n`);
  }
  process.stdout.write(`${String(counts.passed)} passed, ${String(counts.failed)} failed\n`);
  return counts;
}

/**
 * One of several processes that spend one tenant's budget: lanes at work at the same time, each
 * with a batch after another. Every charge is written to stdout before its answer is known, as a
 * provider would put it on its bill, so that a death takes no charge along. Dies where it is told
 * to.
 */
import { writeSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { settleLostAttempts } from '#activities/settle-lost-reservations.ts';
import { costOf } from '#core/budget/price.ts';
import { periodOf } from '#core/budget/budget-account.ts';
import type { Platform } from '#core/ports/platform.ts';
import { NOTHING } from '#core/records/account.ts';
import { createPlatform } from '#providers/node/platform.ts';
import {
  BUDGET,
  GRANTED_TOKENS,
  GRANT_KEYS,
  openBudgetStore,
  MODEL,
  MODELS,
  PERIODS,
  PRICE,
  TENANT,
  type Line,
  type Reserver,
} from './budget-harness.ts';

const [given = '{}'] = process.argv.slice(2);
const { place, name, lanes, batches, retries, seed, death } = JSON.parse(given) as Reserver;
const STDOUT = 1;
/** Of a thousand calls: refused before the model worked, lost on their way, asked for twice. */
const REFUSED = 80;
const LOST = 80;
const REPEATED = 250;

/** Park and Miller's generator, so that a seed gives the same calls. */
let state = seed;
const chance = (most: number): number => {
  state = (state * 48_271) % 2_147_483_647;
  return state % most;
};

await using store = await openBudgetStore(place);
let deaths = death?.after ?? 0;
function crashAt(point: string): void {
  if (death?.point !== point) return;
  deaths -= 1;
  if (deaths < 0) process.kill(process.pid, 'SIGKILL');
}

for (const batchId of retries) await retry({ tenant: TENANT, batchId }, PERIODS[0].at + batches);
await Promise.all(Array.from({ length: lanes }, (_, lane) => runLane(lane)));

async function runLane(lane: number): Promise<void> {
  for (let n = 0; n < batches; n += 1) {
    // The month turns while others are still in the old one.
    const now = PERIODS[n < batches / 2 ? 0 : 1].at + n;
    const batch = { tenant: TENANT, batchId: `${name}-${lane}-${n}` };
    if (!(await tryBatch(batch, 1, now))) await retry(batch, now);
    if (lane === 0) await grantSome(n, now);
    await turn();
  }
}

/** As a retried activity does: what the last attempt left is settled, then there is another. */
async function retry(batch: { tenant: string; batchId: string }, now: number): Promise<void> {
  const earlier = await settleLostAttempts({ store, platform: at(now), models: MODELS }, batch);
  await tryBatch(batch, earlier + 1, now);
}

/** False where the batch is to be tried once more. */
async function tryBatch(
  batch: { tenant: string; batchId: string },
  n: number,
  now: number,
): Promise<boolean> {
  const attemptId = `${batch.batchId}/${n}`;
  const most = { inputTokens: 50 + chance(300), outputTokens: 0 };
  const attempt = { ...batch, attemptId, purpose: 'summary', model: MODEL } as const;
  const request = { attempt, amount: costOf(most, PRICE), budget: BUDGET, now };
  const reserved = await store.accounts.reserve(request);
  if (reserved.kind !== 'Reserved') {
    tell({ attemptId, tokens: null });
    return true;
  }
  if (chance(1_000) < REPEATED) await store.accounts.reserve(request);
  crashAt('Reserved');
  const luck = chance(1_000);
  if (luck < REFUSED) {
    const settlement = { outcome: 'NotCharged', now } as const;
    await store.accounts.settle(attempt, NOTHING, settlement);
    return false;
  }
  const usage = { inputTokens: chance(most.inputTokens + 1), outputTokens: 0 };
  tell({ attemptId, tokens: usage.inputTokens });
  await turn();
  // Nobody hears of the answer, as after a time-out: the next attempt settles this one.
  if (luck < REFUSED + LOST) return false;
  crashAt('Answered');
  await store.answers.put({
    ...batch,
    attemptId,
    promptHash: attemptId,
    state: 'paid',
    model: MODEL,
    usage,
    items: [],
    text: '{}',
    at: now,
  });
  crashAt('Stored');
  await store.accounts.settle(attempt, costOf(usage, PRICE), { outcome: 'Usage', now });
  crashAt('Settled');
  return true;
}

function tell(line: Line): void {
  writeSync(STDOUT, `${JSON.stringify(line)}\n`);
}

/** Every process grants the same keys: each is to count once. */
async function grantSome(n: number, now: number): Promise<void> {
  const key = GRANT_KEYS[n % GRANT_KEYS.length] ?? 'grant';
  const period = periodOf(now);
  const amount = { tokens: GRANTED_TOKENS, microDollars: 0 };
  const given = { id: `${name}-${n}`, key, amount, principal: name, reason: 'proof', at: now };
  await store.accounts.grant({ tenant: TENANT, period, budget: BUDGET }, given);
}

function at(now: number): Platform {
  return { ...createPlatform(), clock: () => now };
}

/** Budget accounts and their ledger, which always change together. */
import {
  correctCharge,
  grant,
  openAccount,
  periodOf,
  reserve,
  settleReservation,
  withLimits,
} from '#core/budget/budget-account.ts';
import {
  attemptClosed,
  closedEntry,
  openEntry,
  type Settlement,
  isCorrection,
} from '#core/budget/ledger-entry.ts';
import type {
  AccountRecords,
  ReserveRequest,
  ReserveResult,
} from '#core/ports/budget-account-records.ts';
import type { Log } from '#core/ports/platform.ts';
import { NOTHING, type Account, type Amount, type LedgerEntry } from '#core/records/account.ts';
import { equal } from './storage-driver.ts';
import { ACCOUNTS, LEDGER } from './record-kinds-and-indexes.ts';
import { scanPages, type StoreParts } from './store-parts.ts';
import { readAhead, type Transaction } from './retry-concurrent-writes.ts';

/** Maximum entries that a sum reads at once. */
const SUMMED_AT_ONCE = 1_000;

export function accountRecords(parts: StoreParts, log: Log): AccountRecords {
  const { driver, writes } = parts;
  return {
    get: async (tenant, period, budget) =>
      (await driver.get(ACCOUNTS, [tenant, period])) ?? openAccount(tenant, period, budget),
    reserve(request) {
      const { tenant, attemptId } = request.attempt;
      return writes.run(ACCOUNTS, [tenant, periodOf(request.now)], {
        reads: [readAhead(LEDGER, [tenant, attemptId])],
        run: (transaction) => reserveAttempt(transaction, request),
      });
    },
    settle: (attempt, used, { outcome, now }) =>
      settleAttempt(parts, log, { attempt, used, outcome, now }),
    setLimits: (tenant, period, limits) =>
      writes.run(ACCOUNTS, [tenant, period], ({ record, set }) => {
        const account = record ?? openAccount(tenant, period, limits);
        const limited = withLimits(account, limits, limits.policyGeneration);
        if (limited !== account) set(limited);
        return limited !== account;
      }),
    grant: ({ tenant, period, budget, largest }, given) =>
      writes.run(ACCOUNTS, [tenant, period], ({ record, set }) => {
        const outcome = grant(record ?? openAccount(tenant, period, budget), given, largest);
        if (outcome.kind === 'Granted') set(outcome.account);
        return outcome;
      }),
    unsettled: ({ before, limit }) =>
      driver.scan(LEDGER, {
        where: [['openSince', '<=', before]],
        order: ['openSince', 'tenant', 'attemptId'],
        limit,
      }),
    used: (tenant, of) => usedOf(parts, tenant, of),
    entries: (tenant, { batchId, limit }) =>
      driver.scan(LEDGER, {
        where: equal({ tenant }, { batchId }),
        order: ['reservedAt', 'attemptId'],
        descending: true,
        limit,
      }),
  };
}

async function reserveAttempt(
  { record, set, get, put }: Transaction<Account>,
  request: ReserveRequest,
): Promise<ReserveResult> {
  const { attempt, amount, budget, now } = request;
  const { tenant, attemptId } = attempt;
  // Ask the ledger, since the period may have changed since the attempt first reserved.
  const known = await get(LEDGER, [tenant, attemptId]);
  if (known?.state === 'Reserved') return { kind: 'Reserved' };
  if (known !== null) throw attemptClosed(known);
  const before = record ?? openAccount(tenant, periodOf(now), budget);
  const result = reserve(before, { attemptId, amount, now });
  if (result.kind === 'Exhausted' || result.kind === 'TooManyOpen') return result;
  set(result.account);
  put(LEDGER, openEntry(request));
  return { kind: 'Reserved' };
}

async function settleAttempt(
  { driver, writes }: StoreParts,
  log: Log,
  settlement: Settlement,
): Promise<void> {
  const { attempt, used } = settlement;
  const key = [attempt.tenant, attempt.attemptId];
  const found = await driver.get(LEDGER, key);
  if (found === null) {
    log.warn(attempt, 'settled an attempt without a reservation');
    return;
  }
  await writes.run(ACCOUNTS, [attempt.tenant, found.period], {
    reads: [readAhead(LEDGER, key)],
    async run({ record, set, get, put }) {
      const entry = await get(LEDGER, key);
      if (record === null || entry === null) return;
      if (used !== null && isCorrection(entry, settlement)) {
        set(correctCharge(record, entry.spent, used));
        put(LEDGER, closedEntry(entry, settlement, used));
        return;
      }
      if (entry.state !== 'Reserved') return;
      const settled = settleReservation(record, attempt.attemptId, used);
      set(settled.account);
      put(LEDGER, closedEntry(entry, settlement, settled.spent ?? NOTHING));
    },
  });
}

/** Returns the used amount: a settled entry counts what it spent, any other what it reserved. */
async function usedOf(
  { driver }: StoreParts,
  tenant: string,
  { period, purpose }: { period: string; purpose: LedgerEntry['purpose'] },
): Promise<Amount> {
  let sum = NOTHING;
  const where = equal({ tenant, purpose, period });
  const scan = { where, order: ['attemptId'], limit: SUMMED_AT_ONCE };
  for await (const page of scanPages(driver, LEDGER, scan)) {
    for (const { state, reserved, spent } of page) {
      const { tokens, microDollars } = state === 'Reserved' ? reserved : spent;
      sum = { tokens: sum.tokens + tokens, microDollars: sum.microDollars + microDollars };
    }
  }
  return sum;
}

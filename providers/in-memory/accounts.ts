/** Budget accounts and their ledger: every change of one is a change of the other. */
import { grant, openAccount, periodOf, reserve, settle, usedBy, withLimits } from '#core/budget.ts';
import { attemptClosed, closedEntry, openEntry, type Settlement } from '#core/ledger-entry.ts';
import type { BudgetPolicy } from '#core/policy.ts';
import type { Log } from '#core/ports/platform.ts';
import type { AccountRecords, ReserveRequest, ReserveResult } from '#core/ports/account-records.ts';
import { NOTHING, type Account, type LedgerEntry } from '#core/records/account.ts';

import type { Database, Tables } from './database.ts';

export function accountRecords(database: Database, log: Log): AccountRecords {
  const { tables } = database;
  return {
    get: (tenant, period, budget) =>
      database.read(() => accountOf(tables, { tenant, period }, budget)),
    reserve: (request) => database.write(() => reserveAttempt(tables, request)),
    settle: (attempt, used, settlement) =>
      database.write(() => settleAttempt({ tables, log }, { attempt, used, ...settlement })),
    setLimits: (tenant, period, limits) =>
      database.write(() => {
        const account = accountOf(tables, { tenant, period }, limits);
        const limited = withLimits(account, limits, limits.policyGeneration);
        if (limited !== account) tables.accounts.put(limited);
        return limited !== account;
      }),
    grant: ({ tenant, period, budget }, given) =>
      database.write(() => {
        const outcome = grant(accountOf(tables, { tenant, period }, budget), given);
        if (outcome.kind === 'Granted') tables.accounts.put(outcome.account);
        return outcome;
      }),
    unsettled: ({ before, limit }) =>
      database.read(() =>
        tables.ledger
          .all()
          .filter(({ state, reservedAt }) => state === 'Reserved' && reservedAt <= before)
          .toSorted((a, b) => a.reservedAt - b.reservedAt || (nameOf(a) < nameOf(b) ? -1 : 1))
          .slice(0, limit),
      ),
    used: (tenant, { period, purpose }) =>
      database.read(() =>
        usedBy(
          tables.ledger
            .group(tenant)
            .filter((entry) => entry.period === period && entry.purpose === purpose),
        ),
      ),
    entries: (tenant, { batchId, limit }) =>
      database.read(() =>
        tables.ledger
          .group(tenant)
          .filter((entry) => batchId === undefined || entry.batchId === batchId)
          .toSorted((a, b) => b.reservedAt - a.reservedAt || (a.attemptId < b.attemptId ? 1 : -1))
          .slice(0, limit),
      ),
  };
}

function nameOf({ tenant, attemptId }: LedgerEntry): string {
  return `${tenant}/${attemptId}`;
}

function accountOf(
  tables: Tables,
  { tenant, period }: { tenant: string; period: string },
  budget: BudgetPolicy,
): Account {
  return tables.accounts.get(tenant, period) ?? openAccount(tenant, period, budget);
}

function reserveAttempt(tables: Tables, request: ReserveRequest): ReserveResult {
  const { attempt, amount, budget, now } = request;
  const { tenant, attemptId } = attempt;
  // Asked of the ledger, since the period may have changed since the attempt first reserved.
  const known = tables.ledger.get(tenant, attemptId);
  if (known?.state === 'Reserved') return { kind: 'Reserved' };
  if (known !== null) throw attemptClosed(known);
  const period = periodOf(now);
  const before = accountOf(tables, { tenant, period }, budget);
  const result = reserve(before, { attemptId, amount, now });
  if (result.kind === 'Exhausted' || result.kind === 'TooManyOpen') return result;
  tables.accounts.put(result.account);
  tables.ledger.put(openEntry(request));
  return { kind: 'Reserved' };
}

function settleAttempt(
  { tables, log }: { tables: Tables; log: Log },
  settlement: Settlement,
): void {
  const { attempt, used } = settlement;
  const entry = tables.ledger.get(attempt.tenant, attempt.attemptId);
  const account = entry === null ? null : tables.accounts.get(entry.tenant, entry.period);
  if (entry === null || account === null) {
    log.warn(attempt, 'An attempt was settled that had reserved nothing.');
    return;
  }
  if (entry.state !== 'Reserved') return;
  const settled = settle(account, attempt.attemptId, used);
  tables.accounts.put(settled.account);
  tables.ledger.put(closedEntry(entry, settlement, settled.spent ?? NOTHING));
}

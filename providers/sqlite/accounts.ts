/** Budget accounts and their ledger: every change of one is a change of the other. */
import {
  grant,
  openAccount,
  periodEnd,
  periodOf,
  periodStart,
  reserve,
  settle,
  withLimits,
} from '#core/budget.ts';
import { attemptClosed, closedEntry, openEntry, type Settlement } from '#core/ledger-entry.ts';
import type { BudgetPolicy } from '#core/policy.ts';
import type { Log } from '#core/ports/platform.ts';
import type { AccountRecords, ReserveRequest, ReserveResult } from '#core/ports/account-records.ts';
import {
  ACCOUNT_DEFAULTS,
  NOTHING,
  type Account,
  type Amount,
  type LedgerEntry,
} from '#core/records/account.ts';

import type { Connection } from './connection.ts';
import { recordTable, type RecordTable } from './record-table.ts';

interface Tables {
  readonly accounts: RecordTable<Account>;
  readonly ledger: RecordTable<LedgerEntry>;
  readonly log: Log;
}

export function accountRecords(connection: Connection, log: Log): AccountRecords {
  const tables: Tables = { ...openTables(connection), log };
  const { accounts, ledger } = tables;
  const accountOf = (tenant: string, period: string, budget: BudgetPolicy) =>
    accounts.find(tenant, period) ?? openAccount(tenant, period, budget);
  return {
    get: (tenant, period, budget) => connection.read(() => accountOf(tenant, period, budget)),
    reserve: (request) => connection.write(() => reserveAttempt(tables, request)),
    settle: (attempt, used, { outcome, now }) =>
      connection.write(() => settleAttempt(tables, { attempt, used, outcome, now })),
    setLimits: (tenant, period, limits) =>
      connection.write(() => {
        const account = accountOf(tenant, period, limits);
        const limited = withLimits(account, limits, limits.policyGeneration);
        if (limited !== account) accounts.put(limited);
        return limited !== account;
      }),
    grant: ({ tenant, period, budget }, given) =>
      connection.write(() => {
        const outcome = grant(accountOf(tenant, period, budget), given);
        if (outcome.kind === 'Granted') accounts.put(outcome.account);
        return outcome;
      }),
    unsettled: (query) => connection.read(() => unsettled(connection, ledger, query)),
    used: (tenant, { period, purpose }) =>
      connection.read(() => usedOf(connection, { tenant, period, purpose })),
    entries: (tenant, { batchId, limit }) =>
      connection.read(() => {
        const newest = 'ORDER BY reserved_at DESC, attempt_id DESC LIMIT ?';
        return batchId === undefined
          ? ledger.select(`tenant = ? ${newest}`, [tenant, limit])
          : ledger.select(`tenant = ? AND batch_id = ? ${newest}`, [tenant, batchId, limit]);
      }),
  };
}

function openTables(connection: Connection): Pick<Tables, 'accounts' | 'ledger'> {
  return {
    accounts: recordTable<Account>(connection, {
      name: 'accounts',
      key: ['tenant', 'period'],
      columns: {
        tenant: 'tenant',
        period: 'period',
        limit_tokens: 'limitTokens',
        limit_micro_dollars: 'limitMicroDollars',
        version: 'version',
      },
      absent: ACCOUNT_DEFAULTS,
    }),
    ledger: recordTable<LedgerEntry>(connection, {
      name: 'ledger',
      key: ['tenant', 'attempt_id'],
      columns: {
        tenant: 'tenant',
        attempt_id: 'attemptId',
        period: 'period',
        batch_id: 'batchId',
        state: 'state',
        outcome: 'outcome',
        reserved_at: 'reservedAt',
        settled_at: 'settledAt',
      },
    }),
  };
}

/** By the index of open entries alone, which is small: an account has a bounded number of them. */
function unsettled(
  connection: Connection,
  ledger: RecordTable<LedgerEntry>,
  { before, limit }: { before: number; limit: number },
): LedgerEntry[] {
  const keys = connection.all(
    `SELECT tenant, attempt_id FROM ledger INDEXED BY ledger_by_state
     WHERE state = 'Reserved' AND reserved_at <= ?
     ORDER BY reserved_at, tenant, attempt_id LIMIT ?`,
    [before, limit],
  );
  return keys.flatMap((row) => {
    return ledger.find(String(row['tenant']), String(row['attempt_id'])) ?? [];
  });
}

/**
 * As `usedBy` (core/budget.ts), summed where the entries lie: a period may have many. An entry is
 * reserved within its period, so that the index by time leaves out all other months.
 */
function usedOf(
  connection: Connection,
  { tenant, period, purpose }: Pick<LedgerEntry, 'tenant' | 'period' | 'purpose'>,
): Amount {
  const sum = (measure: keyof Amount): string =>
    `coalesce(sum(record -> iif(state = 'Reserved', 'reserved', 'spent') ->> '${measure}'), 0)`;
  const row = connection.first(
    `SELECT ${sum('tokens')} AS tokens, ${sum('microDollars')} AS micro_dollars
     FROM ledger
     WHERE tenant = ? AND reserved_at >= ? AND reserved_at < ? AND period = ?
       AND record ->> 'purpose' = ?`,
    [tenant, periodStart(period), periodEnd(period), period, purpose],
  );
  return { tokens: Number(row?.['tokens']), microDollars: Number(row?.['micro_dollars']) };
}

function reserveAttempt({ accounts, ledger }: Tables, request: ReserveRequest): ReserveResult {
  const { attempt, amount, budget, now } = request;
  const { tenant, attemptId } = attempt;
  // Asked of the ledger, since the period may have changed since the attempt first reserved.
  const known = ledger.find(tenant, attemptId);
  if (known?.state === 'Reserved') return { kind: 'Reserved' };
  if (known !== null) throw attemptClosed(known);
  const period = periodOf(now);
  const before = accounts.find(tenant, period) ?? openAccount(tenant, period, budget);
  const result = reserve(before, { attemptId, amount, now });
  if (result.kind === 'Exhausted' || result.kind === 'TooManyOpen') return result;
  accounts.put(result.account);
  ledger.insert(openEntry(request));
  return { kind: 'Reserved' };
}

function settleAttempt({ accounts, ledger, log }: Tables, settlement: Settlement): void {
  const { attempt, used } = settlement;
  const entry = ledger.find(attempt.tenant, attempt.attemptId);
  const account = entry === null ? null : accounts.find(entry.tenant, entry.period);
  if (entry === null || account === null) {
    log.warn(attempt, 'An attempt was settled that had reserved nothing.');
    return;
  }
  if (entry.state !== 'Reserved') return;
  const settled = settle(account, attempt.attemptId, used);
  accounts.put(settled.account);
  ledger.put(closedEntry(entry, settlement, settled.spent ?? NOTHING));
}

/**
 * Budget accounts. The account is one document and holds the limit; the ledger says why. Between
 * the two stands an entry's booking: an entry that is not booked yet names what the account is
 * still to be told, and whoever finds it tells it. So a death leaves money reserved, never unspent.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import {
  grant,
  openAccount,
  reserve,
  settle,
  withLimits,
  type GrantOutcome,
  type ReserveOutcome,
} from '#core/budget.ts';
import { VarveError } from '#core/errors.ts';
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

import {
  BOOKED,
  booking,
  decodeEntry,
  encodeEntry,
  entryId,
  openSince,
  unbookedSince,
  type LedgerDocument,
} from './ledger.ts';
import { decodeRecord, encodeRecord, keyOf, type Fields } from './record-document.ts';
import { byId, type Stored, type Table } from './table.ts';

export interface AccountDocument extends Stored {
  readonly record: Fields;
}

export interface AccountTables {
  readonly accounts: Table<AccountDocument>;
  readonly ledger: Table<LedgerDocument>;
  readonly log: Log;
}

/** Tries against others that reserve and settle on the same account, each after a pause. */
const TRIES_MAX = 200;
const PAUSE_MS_MAX = 10;
/** Entries booked in one go; the rest waits for the next. */
const BOOKED_AT_ONCE_MAX = 100;
const SHAPE = {
  name: 'accounts',
  key: ['tenant', 'period'],
  absent: ACCOUNT_DEFAULTS,
} as const;

export function accountRecords(tables: AccountTables): AccountRecords {
  return {
    get: (tenant, period, budget) => readAccount(tables, { tenant, period }, budget),
    reserve: (request) => reserveAttempt(tables, request),
    settle: (attempt, used, { outcome, now }) =>
      settleAttempt(tables, { attempt, used, outcome, now }),
    async setLimits(tenant, period, limits) {
      const place = { tenant, period, budget: limits };
      const { isWritten } = await changeAccount(tables, place, (before) => {
        const account = withLimits(before, limits, limits.policyGeneration);
        return { account, isWritten: account !== before };
      });
      return isWritten;
    },
    async grant(place, given) {
      const { outcome } = await changeAccount(tables, place, (account) => {
        const result = grant(account, given);
        return { outcome: result, account: accountAfter(result, account) };
      });
      return outcome;
    },
    async unsettled({ before, limit }) {
      const found = await tables.ledger.select(openSince(before), {
        sort: { reservedAt: 1 },
        limit,
      });
      return found.map(decodeEntry);
    },
    used: (tenant, { period, purpose }) => usedOf(tables, { tenant, period, purpose }),
    async entries(tenant, { batchId, limit }) {
      const ofBatch = batchId === undefined ? {} : { batchId };
      const sort = { reservedAt: -1, '_id.attemptId': -1 } as const;
      const found = await tables.ledger.select(
        { '_id.tenant': tenant, ...ofBatch },
        { sort, limit },
      );
      return found.map(decodeEntry);
    },
  };
}

/** As `usedBy` (core/budget.ts), summed where the entries lie: a period may have many. */
async function usedOf(
  { ledger }: AccountTables,
  { tenant, period, purpose }: Pick<LedgerEntry, 'tenant' | 'period' | 'purpose'>,
): Promise<Amount> {
  const isOpen = { $eq: ['$record.state', 'Reserved'] };
  const sum = (measure: keyof Amount) => ({
    $sum: { $cond: [isOpen, `$record.reserved.${measure}`, `$record.spent.${measure}`] },
  });
  const [row] = await ledger.aggregate([
    { $match: { '_id.tenant': tenant, 'record.period': period, 'record.purpose': purpose } },
    { $group: { _id: null, tokens: sum('tokens'), microDollars: sum('microDollars') } },
  ]);
  return { tokens: Number(row?.['tokens'] ?? 0), microDollars: Number(row?.['microDollars'] ?? 0) };
}

/** Tells the accounts what the entries of dead writers still have to say. Repeatable. */
export async function settleLedger(
  tables: AccountTables,
  tenant: string,
  now: number,
): Promise<void> {
  const selection = { sort: { bookAt: 1 }, limit: BOOKED_AT_ONCE_MAX } as const;
  for (const document of await tables.ledger.select(unbookedSince(tenant, now), selection)) {
    if (document.booking === 'Settle') await bookSettlement(tables, document);
    else await bookReservation(tables, document);
  }
}

async function readAccount(
  { accounts }: AccountTables,
  { tenant, period }: { tenant: string; period: string },
  budget: BudgetPolicy,
): Promise<Account> {
  const found = await accounts.first(byId(keyOf<Account>(SHAPE, { tenant, period })));
  return found === null ? openAccount(tenant, period, budget) : decodeRecord<Account>(SHAPE, found);
}

/** Changes the account by compare-and-set; what leaves it as it is writes nothing. */
async function changeAccount<T extends { readonly account: Account }>(
  tables: AccountTables,
  place: { tenant: string; period: string; budget: BudgetPolicy },
  change: (account: Account) => T,
): Promise<T> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const before = await readAccount(tables, place, place.budget);
    const result = change(before);
    if (result.account.version === before.version) return result;
    const document = encodeRecord<Account>(SHAPE, result.account);
    const expected = { ...byId(document._id), 'record.version': before.version };
    const written =
      (await tables.accounts.replace(expected, document)) ||
      (before.version === 0 && (await tables.accounts.insert(document)));
    if (written) return result;
    await sleep(Math.random() * PAUSE_MS_MAX);
  }
  throw new VarveError('CONFLICT', 'Others kept changing the account; try again.');
}

async function reserveAttempt(
  tables: AccountTables,
  request: ReserveRequest,
): Promise<ReserveResult> {
  const { attempt, budget, now } = request;
  const { tenant, attemptId } = attempt;
  // Asked of the ledger, since the period may have changed since the attempt first reserved.
  const known = await tables.ledger.first(byId(entryId(attempt)));
  if (known !== null && known.state !== 'Reserved')
    throw attemptClosed({ attemptId, state: known.state });
  if (known !== null && known.booking === null) return { kind: 'Reserved' };
  const document = known ?? encodeEntry(openEntry(request), budget, booking('Reserve', now));
  if (known === null && !(await tables.ledger.insert(document))) {
    // The same attempt, a moment earlier.
    return reserveAttempt(tables, request);
  }
  const result = await bookReservation(tables, document);
  if (result.kind === 'Reserved' || !(await hasUnbooked(tables, tenant, now))) return result;
  await settleLedger(tables, tenant, now);
  return reserveAttempt(tables, request);
}

async function hasUnbooked({ ledger }: AccountTables, tenant: string, now: number) {
  return (await ledger.first(unbookedSince(tenant, now))) !== null;
}

/** Reserves on the account; an entry that does not fit goes again. */
async function bookReservation(
  tables: AccountTables,
  document: LedgerDocument,
): Promise<ReserveResult> {
  const { ledger } = tables;
  const { attemptId, period, reserved: amount, reservedAt: now, tenant } = decodeEntry(document);
  const place = { tenant, period, budget: document.budget };
  const { outcome } = await changeAccount(tables, place, (account) => {
    const result = reserve(account, { attemptId, amount, now });
    return { outcome: result, account: accountAfter(result, account) };
  });
  const unbooked = { ...byId(document._id), booking: 'Reserve' };
  if (outcome.kind === 'Exhausted' || outcome.kind === 'TooManyOpen') {
    await ledger.remove(unbooked);
    return outcome;
  }
  if (await ledger.update(unbooked, { $set: BOOKED })) return { kind: 'Reserved' };
  const current = await ledger.first(byId(document._id));
  if (current?.state === 'Reserved') return { kind: 'Reserved' };
  // It was settled before it was booked, as an attempt that was never made.
  await changeAccount(tables, place, (account) => settle(account, attemptId, NOTHING));
  throw attemptClosed({ attemptId, state: current?.state ?? 'Released' });
}

function accountAfter(outcome: ReserveOutcome | GrantOutcome, before: Account): Account {
  return 'account' in outcome ? outcome.account : before;
}

async function settleAttempt(tables: AccountTables, settlement: Settlement): Promise<void> {
  const { attempt, used, now } = settlement;
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const document = await tables.ledger.first(byId(entryId(attempt)));
    if (document === null) {
      tables.log.warn(attempt, 'An attempt was settled that had reserved nothing.');
      return;
    }
    if (document.booking === 'Settle') return bookSettlement(tables, document);
    if (document.state !== 'Reserved') return;
    const entry = decodeEntry(document);
    const isOpen = document.booking === null || (await isReserved(tables, document));
    const spent = isOpen ? (used ?? entry.reserved) : NOTHING;
    const settled = closedEntry(entry, settlement, spent);
    const next = encodeEntry(settled, document.budget, booking('Settle', now));
    const { state, booking: booked } = document;
    if (await tables.ledger.replace({ ...byId(document._id), state, booking: booked }, next)) {
      return bookSettlement(tables, next);
    }
  }
  throw new VarveError('CONFLICT', 'Others kept changing the attempt; try again.');
}

async function isReserved(tables: AccountTables, document: LedgerDocument): Promise<boolean> {
  const entry = decodeEntry(document);
  const account = await readAccount(tables, entry, document.budget);
  return account.open.some(({ attemptId }) => attemptId === entry.attemptId);
}

async function bookSettlement(tables: AccountTables, document: LedgerDocument): Promise<void> {
  const { tenant, period, attemptId, spent } = decodeEntry(document);
  const place = { tenant, period, budget: document.budget };
  await changeAccount(tables, place, (account) => settle(account, attemptId, spent));
  await tables.ledger.update({ ...byId(document._id), booking: 'Settle' }, { $set: BOOKED });
}

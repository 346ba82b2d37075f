/** Entries of the ledger, and what of them the account has not been told yet. */
import type { BudgetPolicy } from '#core/policy.ts';
import type { LedgerEntry } from '#core/records/account.ts';

import { decodeRecord, encodeRecord, keyOf, type Fields } from './record-document.ts';
import { INTENT_MS_MAX, NEVER } from './scope-document.ts';
import type { Stored } from './table.ts';

interface Booking {
  /** What the account is still to be told; null once it has been. */
  readonly booking: 'Reserve' | 'Settle' | null;
  /** From when on others tell it. */
  readonly bookAt: number;
}

export interface LedgerDocument extends Stored, Booking {
  readonly record: Fields;
  readonly batchId: string;
  readonly state: LedgerEntry['state'];
  readonly reservedAt: number;
  /** What the account opens with, where it did not exist. */
  readonly budget: BudgetPolicy;
}

export const BOOKED: Booking = { booking: null, bookAt: NEVER };

const SHAPE = { name: 'ledger', key: ['tenant', 'attemptId'] } as const;

export function booking(kind: 'Reserve' | 'Settle', now: number): Booking {
  return { booking: kind, bookAt: now + INTENT_MS_MAX };
}

export function entryId(attempt: { tenant: string; attemptId: string }): Stored['_id'] {
  return keyOf<LedgerEntry>(SHAPE, attempt);
}

export function encodeEntry(
  entry: LedgerEntry,
  budget: BudgetPolicy,
  booked: Booking,
): LedgerDocument {
  const { batchId, state, reservedAt } = entry;
  const document = encodeRecord<LedgerEntry>(SHAPE, entry);
  return { ...document, ...booked, batchId, state, reservedAt, budget };
}

export function decodeEntry(document: LedgerDocument): LedgerEntry {
  return decodeRecord<LedgerEntry>(SHAPE, document);
}

/** Entries whose writer has had its time. */
export function unbookedSince(tenant: string, now: number): Record<string, unknown> {
  return { '_id.tenant': tenant, bookAt: { $lte: now } };
}

/** Of all tenants: entries that nobody settled, or whose settlement the account was not told. */
export function openSince(before: number): Record<string, unknown> {
  return {
    $or: [{ state: 'Reserved', reservedAt: { $lte: before } }, { bookAt: { $lte: before } }],
  };
}

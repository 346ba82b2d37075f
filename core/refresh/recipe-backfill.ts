/**
 * What a changed recipe regenerates if the tenant's policy says `Backfill`: a few scopes a minute,
 * and never with the part of the budget that is reserved for changes (design 6.14).
 */
import { limitOf, plus, reservedOf } from '../budget/budget-account.ts';
import type { DuePolicy } from '../records/policy.ts';
import { notAhead, spacedFrom } from './when-to-refresh.ts';
import type { Account } from '../records/account.ts';
import type { ScopeRecord } from '../records/scope-record.ts';

/**
 * The most scopes of one tenant that wait for backfill at the same time; each tick refills them.
 */
export const BACKFILL_WAITING_MAX = 20;
/** Backfill stops once this share of a limit is used or reserved. */
const BACKFILL_BUDGET_SHARE = 0.5;

/** Returns whether the account leaves backfill any of its share; always true without a limit. */
export function mayBackfill(account: Account): boolean {
  const taken = plus(account.spent, reservedOf(account));
  return (['tokens', 'microDollars'] as const).every((measure) => {
    const limit = limitOf(account, measure);
    return limit === null || taken[measure] < limit * BACKFILL_BUDGET_SHARE;
  });
}

type Spacing = Pick<DuePolicy, 'leastIntervalMs'>;

export interface BackfillRules extends Spacing {
  /** The recipe that would make a summary of the scope now. */
  readonly recipeOf: (record: ScopeRecord) => string;
  /** The recipe of the fallback text that is used if a model could not be paid. */
  readonly fallbackOf: (record: ScopeRecord) => string;
}

/**
 * Returns whether the changed recipe would change the summary. If the recipe is unknown, this can't
 * be decided. A fallback text would be regenerated unchanged, tick after tick. Both wait for their
 * next due time. A dead letter is retried if the recipe differs from the one that failed.
 */
export function isBehind(record: ScopeRecord, { recipeOf, fallbackOf }: BackfillRules): boolean {
  const { recipeHash, deadLetter, sourceCount } = record;
  if (sourceCount === 0) return false;
  if (deadLetter !== null) {
    const { recipeHash: failed } = deadLetter;
    return failed !== undefined && failed !== recipeOf(record);
  }
  if (recipeHash === null) return false;
  return recipeHash !== recipeOf(record) && recipeHash !== fallbackOf(record);
}

/** Returns the records to write so that some scopes with an older recipe are due now. */
export function recipeMarks(
  records: readonly ScopeRecord[],
  { now, ...rules }: BackfillRules & { now: number },
): readonly ScopeRecord[] {
  const waiting = waitingIn(records);
  return records
    .filter((record) => isIdle(record, { now, ...rules }) && isBehind(record, rules))
    .slice(0, Math.max(0, BACKFILL_WAITING_MAX - waiting))
    .map((record) => {
      return { ...record, dueAt: now, dueTrigger: 'Recipe', version: record.version + 1 };
    });
}

/** Marks scopes of a tenant page by page; marks as many as `recipeMarks` does for all at once. */
export function backfillMarks(rules: BackfillRules & { now: number }) {
  let isAnyBehind = false;
  let waiting = 0;
  let marks: readonly ScopeRecord[] = [];
  const left = () => Math.max(0, BACKFILL_WAITING_MAX - waiting);
  return {
    add(page: readonly ScopeRecord[]): void {
      isAnyBehind ||= page.some((record) => isBehind(record, rules));
      waiting += waitingIn(page);
      marks = [...marks, ...recipeMarks(page, rules)].slice(0, left());
    },
    isAnyBehind: () => isAnyBehind,
    records: () => marks,
  };
}

/** Returns whether nothing else is about to regenerate it, and the platform allows it again. */
function isIdle(record: ScopeRecord, { now, ...spacing }: { now: number } & Spacing): boolean {
  const { dueAt, lease, hold } = record;
  if (lease !== null || hold !== null || spacedFrom(notAhead(record, now), spacing) > now)
    return false;
  return dueAt === null || dueAt > now;
}

function waitingIn(records: readonly ScopeRecord[]): number {
  return records.filter(({ dueTrigger }) => dueTrigger === 'Recipe').length;
}

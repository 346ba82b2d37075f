/**
 * Personalized variants of a summary (design 6.21): made on first read, and regenerated while they
 * are read. A variant is a choice of facts of the general summary, so all its statements are
 * grounded. It ends when the general summary that it was chosen from is replaced.
 */
import { backoffDelay } from '../exponential-delay.ts';
import type { Digest } from '../hash.ts';
import type { ScopeRecord } from '../records/scope-record.ts';
import type { Summary } from '../records/summary.ts';
import type { Variant, VariantLease } from '../records/variant.ts';
import { ATTEMPTS_MAX } from '../refresh/retries-and-dead-letters.ts';
import type { Scope } from '../scope.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** A variant that was not read for this long is not regenerated. */
export const READ_WITHIN_MS = 7 * 24 * HOUR_MS;
/** Several reads within this time are recorded once. */
export const READ_NOTED_MS = HOUR_MS;
/**
 * Pause before a variant is made, so that the other layers that the reader opens share its call.
 */
export const JOIN_CALL_PAUSE_MS = 10 * SECOND_MS;
/** If a variant could not be made, reads do not request it again for this time. */
export const FAILURE_HOLD_MS = 10 * MINUTE_MS;
/**
 * While the general summary is about to be regenerated, reads request the variant once in this
 * time.
 */
export const REQUEST_AGAIN_MS = MINUTE_MS;
/** Hold if the budget has no share left: long enough that reads do not request it all day. */
export const SHARE_HELD_MS = HOUR_MS;
/** Backoff after a failure; after the third failure, the variant waits for the next read. */
const RETRY_AFTER = { firstMs: 30 * SECOND_MS, mostMs: MINUTE_MS };

/** Raise this when the choice of facts changes for the same facts and audience. */
const VARIANT_REVISION = 1;

/** Returns the recipe of a variant: that of the general summary, and the audience. */
export function variantRecipeHash(digest: Digest, recipeHash: string, audience: string): string {
  return digest(JSON.stringify([VARIANT_REVISION, recipeHash, audience]));
}

/**
 * Returns the variant after a read; null if nothing changes. The first read, and a read that finds
 * no current text, make the variant due.
 */
export function variantAfterRead(
  before: Variant | null,
  { scope, audience, isCurrent, now }: ReadOfVariant,
): Variant | null {
  const dueAt = now + JOIN_CALL_PAUSE_MS;
  if (before === null) {
    const { tenant, layer, scopeId } = scope;
    const key = { tenant, layer, scopeId, audience };
    const idle = { heldUntil: null, lease: null, attempts: 0, version: 1 };
    return { ...key, firstReadAt: now, lastReadAt: now, dueAt, ...idle };
  }
  const isHeld = before.heldUntil !== null && now < before.heldUntil;
  if (!isCurrent && before.dueAt === null && !isHeld) {
    return next(before, { lastReadAt: now, dueAt, heldUntil: null });
  }
  if (now - before.lastReadAt < READ_NOTED_MS) return null;
  return next(before, { lastReadAt: now });
}

interface ReadOfVariant {
  readonly scope: Scope;
  readonly audience: string;
  /** Whether the read found a current text of the variant. */
  readonly isCurrent: boolean;
  readonly now: number;
}

/**
 * Returns the variant after its general summary was regenerated, which ended its text; null if
 * nobody reads it.
 */
export function variantAfterGeneral(variant: Variant, now: number): Variant | null {
  if (!isRead(variant, now) || variant.dueAt !== null) return null;
  return next(variant, { dueAt: now, heldUntil: null });
}

/** What to do with a due variant, given everything that it rests on. */
export type VariantDecision =
  | 'Make'
  /** The text is current. */
  | 'Current'
  /** Nobody reads it any more, or the layer is no longer personalized. */
  | 'NotWanted'
  /** The general summary is about to be regenerated, which makes the variant due again. */
  | 'Later'
  /** There is no general summary to choose from, or nothing is known about the audience. */
  | 'Impossible';

export interface VariantState {
  readonly variant: Variant;
  readonly isPersonalized: boolean;
  readonly record: ScopeRecord;
  readonly general: Summary | null;
  /** The existing text. */
  readonly made: Summary | null;
  /** Recipe of the variant (`variantRecipeHash`). */
  readonly recipeHash: string;
  readonly context: string | null;
  readonly now: number;
}

export function variantDecision(state: VariantState): VariantDecision {
  const { variant, record, general, now } = state;
  if (!state.isPersonalized || !isRead(variant, now)) return 'NotWanted';
  if (isCurrentVariant(state.made, state.recipeHash)) return 'Current';
  if (isAboutToChange(record, now)) return 'Later';
  if (general === null || general.facts.length === 0) return 'Impossible';
  return state.context === null ? 'Impossible' : 'Make';
}

/**
 * Returns whether the text of a variant may be served. Stores keep only texts of the current
 * general summary, so only the recipe is compared.
 */
export function isCurrentVariant(made: Summary | null, recipeHash: string): made is Summary {
  return made !== null && made.recipeHash === recipeHash;
}

/** Returns a due variant that is not made now. */
export function postponeVariant(
  variant: Variant,
  decision: Exclude<VariantDecision, 'Make'>,
  now: number,
): Variant {
  const heldMs = { Current: 0, NotWanted: 0, Later: REQUEST_AGAIN_MS, Impossible: FAILURE_HOLD_MS }[
    decision
  ];
  const heldUntil = heldMs === 0 ? null : now + heldMs;
  return next(variant, { dueAt: null, heldUntil, lease: null });
}

export function leaseVariant(variant: Variant, lease: VariantLease): Variant {
  return next(variant, { lease });
}

export function completeVariant(variant: Variant): Variant {
  return next(variant, { dueAt: null, heldUntil: null, lease: null, attempts: 0 });
}

/** Returns a claimed variant that was not sent to a model: due as before. */
export function giveBackVariant(variant: Variant, now: number): Variant {
  return next(variant, { dueAt: variant.dueAt ?? now, lease: null });
}

/**
 * Returns the variant after a failure: retried with backoff, and after the last failure, at the
 * next read.
 */
export function retryVariantLater(variant: Variant, now: number): Variant {
  const attempts = variant.attempts + 1;
  if (attempts >= ATTEMPTS_MAX) return holdVariant(variant, now + FAILURE_HOLD_MS);
  const dueAt = now + backoffDelay(attempts, RETRY_AFTER);
  return next(variant, { attempts, dueAt, lease: null });
}

/**
 * Returns the variant without pending work until a given time, e.g. because the budget has no share
 * left.
 */
export function holdVariant(variant: Variant, heldUntil: number): Variant {
  return next(variant, { dueAt: null, heldUntil, lease: null, attempts: 0 });
}

function isRead({ lastReadAt }: Variant, now: number): boolean {
  return now - lastReadAt <= READ_WITHIN_MS;
}

function isAboutToChange({ lease, dueAt, droppedSources }: ScopeRecord, now: number): boolean {
  const isLeased = lease !== null && lease.until > now;
  return isLeased || droppedSources.length > 0 || (dueAt !== null && dueAt <= now);
}

function next(variant: Variant, change: Partial<Variant>): Variant {
  return { ...variant, ...change, version: variant.version + 1 };
}

/**
 * Personalized variants of a summary (design 6.21): made on first read, and regenerated while they
 * are read. A variant is a choice of facts of the general summary, so every statement of it is
 * grounded, and it ends with the generation that it was chosen from.
 */
import { backoffDelay } from '../exponential-delay.ts';
import type { Digest } from '../hash.ts';
import type { ScopeRecord } from '../records/scope-record.ts';
import type { Summary } from '../records/summary.ts';
import type { Variant, VariantLease } from '../records/variant.ts';
import { ATTEMPTS_MAX } from '../refresh/failure-backoff.ts';
import type { Scope } from '../scope.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** A variant that was not read for this long is not regenerated. */
export const READ_WITHIN_MS = 7 * 24 * HOUR_MS;
/** Reads within this time are noted once. */
export const READ_NOTED_MS = HOUR_MS;
/** Pause before a variant is made: the other layers that a reader opens then share its call. */
export const COMPANY_MS = 10 * SECOND_MS;
/** What could not be made is not asked for again before this has passed. */
export const HELD_MS = 10 * MINUTE_MS;
/** While the general summary is about to be regenerated, reads ask once in this time. */
export const LATER_MS = MINUTE_MS;
/** Where the budget has no share left: long enough that reads do not ask for it all day. */
export const SHARE_HELD_MS = HOUR_MS;
/** Pauses after a failure: they double, and after a third it waits to be read. */
const RETRY_AFTER = { firstMs: 30 * SECOND_MS, mostMs: MINUTE_MS };

/** Raised when another choice is made of the same facts for the same audience. */
const VARIANT_REVISION = 1;

/** The recipe of a variant: that of the general summary, and whom it is for. */
export function variantRecipeHash(digest: Digest, recipeHash: string, audience: string): string {
  return digest(JSON.stringify([VARIANT_REVISION, recipeHash, audience]));
}

/**
 * What a read leaves behind; null where nothing is to be written. The first read, and one that
 * finds no current text, make the variant due.
 */
export function afterRead(
  before: Variant | null,
  { scope, audience, isCurrent, now }: ReadOfVariant,
): Variant | null {
  const dueAt = now + COMPANY_MS;
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

export interface ReadOfVariant {
  readonly scope: Scope;
  readonly audience: string;
  /** Whether the read found the text of a variant that is what it is to be. */
  readonly isCurrent: boolean;
  readonly now: number;
}

/** The general summary was regenerated, which ended the text; null if it is no longer read. */
export function afterGeneral(variant: Variant, now: number): Variant | null {
  if (!isRead(variant, now) || variant.dueAt !== null) return null;
  return next(variant, { dueAt: now, heldUntil: null });
}

/** What a due variant needs, seen with all that it rests on. */
export type VariantDecision =
  | 'Make'
  /** The text is what it is to be. */
  | 'Current'
  /** It is not read any more, or the layer is not personalized any more. */
  | 'NotWanted'
  /** The general summary is about to be regenerated, which makes the variant due again. */
  | 'Later'
  /** There is no general summary to choose from, or nothing is known of the audience. */
  | 'Impossible';

export interface VariantState {
  readonly variant: Variant;
  readonly isPersonalized: boolean;
  readonly record: ScopeRecord;
  readonly general: Summary | null;
  /** The text that there is. */
  readonly made: Summary | null;
  /** Of the variant (`variantRecipeHash`). */
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

/** Whether the text of a variant may be served: a store has none but of the current generation. */
export function isCurrentVariant(made: Summary | null, recipeHash: string): made is Summary {
  return made !== null && made.recipeHash === recipeHash;
}

/** A due variant that is not made now. */
export function settled(
  variant: Variant,
  decision: Exclude<VariantDecision, 'Make'>,
  now: number,
): Variant {
  const heldMs = { Current: 0, NotWanted: 0, Later: LATER_MS, Impossible: HELD_MS }[decision];
  const heldUntil = heldMs === 0 ? null : now + heldMs;
  return next(variant, { dueAt: null, heldUntil, lease: null });
}

export function leased(variant: Variant, lease: VariantLease): Variant {
  return next(variant, { lease });
}

export function made(variant: Variant): Variant {
  return next(variant, { dueAt: null, heldUntil: null, lease: null, attempts: 0 });
}

/** Claimed and not asked for: it is as due as it was. */
export function givenBack(variant: Variant, now: number): Variant {
  return next(variant, { dueAt: variant.dueAt ?? now, lease: null });
}

/** After a failure it is retried, later each time; after the last failure, at the next read. */
export function failed(variant: Variant, now: number): Variant {
  const attempts = variant.attempts + 1;
  if (attempts >= ATTEMPTS_MAX) return held(variant, now + HELD_MS);
  const dueAt = now + backoffDelay(attempts, RETRY_AFTER);
  return next(variant, { attempts, dueAt, lease: null });
}

/** Nothing is pending before the given time, as where the budget has no share left for it. */
export function held(variant: Variant, heldUntil: number): Variant {
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

/**
 * Decides what a due scope needs: a regeneration, a note that it was checked, or an end to its
 * summary.
 */
import type { ScopeRecord } from '../records/scope-record.ts';
import type { Summary } from '../records/summary.ts';
import { isFoundEmpty, type Freshness } from './staleness.ts';

export type ClaimDecision = 'Generate' | 'Unchanged' | 'Empty';

interface ClaimRules {
  /** The recipe that would make a summary of the scope now. */
  readonly recipeHash: string;
  readonly skipIfUnchanged: boolean;
  readonly now: number;
}

/**
 * Decides. With unchanged hash and recipe, a model would be paid to say the same again (SUM-04).
 * Age alone regenerates, whatever the hash (SUM-12). So do an expired source and an interval that
 * must not be skipped.
 */
export function claimDecision(
  record: ScopeRecord,
  summary: Summary | null,
  { recipeHash, skipIfUnchanged, now }: ClaimRules,
): ClaimDecision {
  if (record.sourceCount === 0) return 'Empty';
  if (summary === null) return 'Generate';
  if (record.nextExpiryAt !== null && record.nextExpiryAt <= now) return 'Generate';
  const due = record.dueAt !== null && record.dueAt <= now ? record.dueTrigger : null;
  if (due === 'MaxAge' || (due === 'Interval' && !skipIfUnchanged)) return 'Generate';
  const equal = summary.sourceHash === record.sourceHash && summary.recipeHash === recipeHash;
  return equal ? 'Unchanged' : 'Generate';
}

/**
 * The least age of a fallback text before it is regenerated: earlier it would mostly be the same.
 */
const FALLBACK_REST_MS = 60_000;

/**
 * Returns whether a claim skips a scope: nothing is pending, and its summary is fresh, or is a
 * fallback less than a minute old. Without this pause, a caller that repeats until nothing is stale
 * would never finish if no budget is left for a model.
 */
export function isSkippedByClaim(
  record: ScopeRecord,
  summary: Summary | null,
  {
    freshness,
    extractiveFallback,
    now,
  }: { freshness: Freshness; extractiveFallback: string | null; now: number },
): boolean {
  const { changes, dueAt, nextExpiryAt } = record;
  if (changes > 0 || isPast(dueAt, now) || isPast(nextExpiryAt, now)) return false;
  if (freshness.kind === 'Fresh' || (summary === null && isFoundEmpty(record))) return true;
  if (freshness.reason !== 'RecipeChanged' || summary?.model !== extractiveFallback) return false;
  return now - summary.generatedAt < FALLBACK_REST_MS;
}

function isPast(at: number | null, now: number): boolean {
  return at !== null && at <= now;
}

/** Returns every id that the facts of a summary cite. */
export function citedIds(summary: Pick<Summary, 'facts'> | null): ReadonlySet<string> {
  return new Set(summary?.facts.flatMap((fact) => fact.sources));
}

/** What a due scope needs: a regeneration, a note of the look, or an end to its summary. */
import type { ScopeRecord } from '../records/scope-record.ts';
import type { Summary } from '../records/summary.ts';
import type { Freshness } from './staleness.ts';

export type ClaimDecision = 'Generate' | 'Unchanged' | 'Empty';

export interface ClaimRules {
  /** The recipe that a summary of the scope would be made by now. */
  readonly recipeHash: string;
  readonly skipIfUnchanged: boolean;
  readonly now: number;
}

/**
 * Equal hash and equal recipe mean that a model would be paid to say the same again (SUM-04).
 * Age alone regenerates whatever the hash says (SUM-12), and so do an expired source and an
 * interval that is not to be skipped.
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

/** A text that stands in for a model's is not made anew before: it would mostly be the same. */
const STAND_IN_REST_MS = 60_000;

/**
 * Whether a claim passes a scope by: nothing is owed to it, and its summary is fresh, or stands in
 * for a model's since less than a minute. Without this pause a caller who asks until nothing is
 * stale would never be done where there is no budget for a model.
 */
export function isPassedBy(
  { changes, dueAt, nextExpiryAt }: ScopeRecord,
  summary: Summary | null,
  {
    freshness,
    extractiveFallback,
    now,
  }: { freshness: Freshness; extractiveFallback: string | null; now: number },
): boolean {
  if (changes > 0 || isPast(dueAt, now) || isPast(nextExpiryAt, now)) return false;
  if (freshness.kind === 'Fresh') return true;
  if (freshness.reason !== 'RecipeChanged' || summary?.model !== extractiveFallback) return false;
  return now - summary.generatedAt < STAND_IN_REST_MS;
}

function isPast(at: number | null, now: number): boolean {
  return at !== null && at <= now;
}

/** Every id that the facts of a summary cite. */
export function citedIds(summary: Pick<Summary, 'facts'> | null): ReadonlySet<string> {
  return new Set(summary?.facts.flatMap((fact) => fact.sources));
}

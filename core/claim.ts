/** What a due scope needs: a regeneration, a note of the look, or an end to its summary. */
import type { ScopeRecord } from './records/scope-record.ts';
import type { Summary } from './records/summary.ts';

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
  if (record.sourceCount === 0 && record.intents.length === 0) return 'Empty';
  if (summary === null || record.intents.length > 0) return 'Generate';
  if (record.nextExpiryAt !== null && record.nextExpiryAt <= now) return 'Generate';
  const due = record.dueAt !== null && record.dueAt <= now ? record.dueTrigger : null;
  if (due === 'MaxAge' || (due === 'Interval' && !skipIfUnchanged)) return 'Generate';
  const equal = summary.sourceHash === record.sourceHash && summary.recipeHash === recipeHash;
  return equal ? 'Unchanged' : 'Generate';
}

/** Every id that the facts of a summary cite. */
export function citedIds(summary: Pick<Summary, 'facts'> | null): ReadonlySet<string> {
  return new Set(summary?.facts.flatMap((fact) => fact.sources));
}

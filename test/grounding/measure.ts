/** Judges cases: how many facts stay as worded. */
import { groundEach } from '#core/grounding/grounding.ts';
import { asSource, type GroundingCase } from './cases.ts';

export interface CaseOutcome {
  readonly judged: GroundingCase;
  /** Why it does not stay as worded, or null. */
  readonly reason: string | null;
}

export function outcomesOf(cases: readonly GroundingCase[]): CaseOutcome[] {
  return cases.flatMap((judged) => {
    const sources = judged.sources.map(asSource);
    const known = new Map(sources.map((each) => [each.id, each]));
    return groundEach([judged.fact], known).map(({ reason }) => ({ judged, reason }));
  });
}

/** Share of the cases whose fact does not stay as worded; 0 of none. */
export function changedShare(outcomes: readonly CaseOutcome[]): number {
  return outcomes.filter(({ reason }) => reason !== null).length / Math.max(1, outcomes.length);
}

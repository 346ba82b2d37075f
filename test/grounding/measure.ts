/** Judges cases: how many false facts are dropped, and how many true ones. */
import { groundFacts } from '#core/grounding/grounding.ts';
import { asSource, type GroundingCase } from './cases.ts';

export interface CaseOutcome {
  readonly judged: GroundingCase;
  /** Null where the fact is kept. */
  readonly reason: string | null;
}

export function outcomesOf(cases: readonly GroundingCase[]): CaseOutcome[] {
  return cases.map((judged) => {
    const sources = judged.sources.map(asSource);
    const { dropped } = groundFacts([judged.fact], new Map(sources.map((each) => [each.id, each])));
    return { judged, reason: dropped[0]?.reason ?? null };
  });
}

/** Share of the cases whose fact is dropped; 0 of none. */
export function droppedShare(outcomes: readonly CaseOutcome[]): number {
  return outcomes.filter(({ reason }) => reason !== null).length / Math.max(1, outcomes.length);
}

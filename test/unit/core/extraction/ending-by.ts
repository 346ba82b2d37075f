/** What becomes of an older text after a newer one, for the tests of extraction. */
import { endingOf } from '#core/extraction/compare-with-known.ts';
import { statementsAndCorrectionsOf } from '#core/extraction/statements-and-corrections.ts';

/** Returns how far a newer text ends an older one: `None`, in part or as a whole. */
export function endingBy(older: string, newer: string): string {
  return endingOf(statementsAndCorrectionsOf(older), statementsAndCorrectionsOf(newer));
}

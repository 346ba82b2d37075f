/**
 * Tests that need a program which not every machine has. Where it is missing they are skipped, which
 * the last line of a run counts; continuous integration refuses a run that skips (test/run.ts).
 */
import { describe, it } from 'vitest';

/** `missing`: what this machine lacks, in words for a person; null where it lacks nothing. */
export function describeWith(missing: string | null, name: string, suite: () => void): void {
  if (missing === null) {
    describe(name, suite);
    return;
  }
  describe(name, () => {
    it.skip(`skipped: needs ${missing}`, () => {
      throw new Error('A skipped test does not run.');
    });
  });
}

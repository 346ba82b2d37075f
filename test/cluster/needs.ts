/**
 * Tests that need a program which not every machine has. Where it is missing they are skipped; the
 * last line of a run counts them, and continuous integration refuses such a run (test/run.ts).
 */
import { describe, type SuiteAPI } from 'vitest';

/** `missing`: what this machine lacks, in words for a person; null where it lacks nothing. */
export function describeUnless(missing: string | null): SuiteAPI | SuiteAPI['skip'] {
  if (missing === null) return describe;
  process.stderr.write(`skipped: tests that need ${missing}\n`);
  return describe.skip;
}

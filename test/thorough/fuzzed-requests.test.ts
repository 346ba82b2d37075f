/** A sample of the spoiled requests; `npm run prove -- fuzz` sends 100,000. */
import { expect, test } from 'vitest';
import { fuzzed } from '../fault-injection/fuzz.ts';
import { FACES } from '../fault-injection/fuzz/drafts.ts';
import { SEED } from '../fault-injection/seeded-sample.ts';

const REQUESTS = 450;

test(`malformed requests are refused with an error code (seed ${String(SEED)})`, async () => {
  const found = await fuzzed({ seed: SEED, requests: REQUESTS, isMemoryJudged: false });
  expect(found.findings).toEqual([]);
  for (const face of FACES) {
    const counts = found.statuses[face];
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(REQUESTS / 3);
    // Calls that fit are done, and others refused.
    expect(Object.keys(counts)).toEqual(expect.arrayContaining(['200', '400', '403']));
  }
});

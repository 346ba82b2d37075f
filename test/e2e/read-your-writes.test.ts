/** A short run with every disturbance; `npm run prove -- read-your-writes` runs for ten minutes. */
import { expect, test } from 'vitest';
import { SEED } from '../fault-injection/seeded-sample.ts';
import { readYourWritesUnderFaults } from '../fault-injection/read-your-writes.ts';

const SECONDS = 15;

test(`reads of a stack under kills are correct (seed ${String(SEED)})`, async () => {
  const run = { seconds: SECONDS, seed: SEED, harnesses: 2 };
  const { findings, writes } = await readYourWritesUnderFaults(run);
  expect(findings).toEqual([]);
  expect(writes).toBeGreaterThan(0);
});

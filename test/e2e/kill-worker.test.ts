/** A sample of the kill matrix; `npm run prove -- kill` runs all of it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KILL_CASES, type KillCase } from '../prove/kill-cases.ts';
import { openKillBench, type KillBench } from '../prove/kill.ts';
import { testAddress } from '../workflows/namespace.ts';

const SAMPLE = 2;
/** Another seed is another sample: `VARVE_SEED=7 npm test -- e2e`. */
const SEED = Number(process.env['VARVE_SEED'] ?? 1);

/** Park and Miller's generator: small, and the same on every machine. */
const MULTIPLIER = 48_271;
const MODULUS = 2_147_483_647;

function sampleOf(cases: readonly KillCase[], seed: number): readonly KillCase[] {
  const left = [...cases];
  let state = (Math.abs(seed) % (MODULUS - 1)) + 1;
  return Array.from({ length: SAMPLE }, () => {
    state = (state * MULTIPLIER) % MODULUS;
    return left.splice(state % left.length, 1);
  }).flat();
}

describe('TMP-02: a worker killed at any point, or its server', () => {
  let bench: KillBench;

  beforeAll(async () => {
    bench = await openKillBench(testAddress());
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  it.each(sampleOf(KILL_CASES, SEED))(
    `TMP-02: $id leaves what an undisturbed run leaves (seed ${String(SEED)})`,
    async (given) => {
      expect(await bench.findings(given)).toEqual([]);
    },
  );
});

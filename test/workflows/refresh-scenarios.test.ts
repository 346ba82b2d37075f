/** A sample of the refresh proofs on less data; `npm run prove -- refresh` runs all of them. */
import { describe, expect, it } from 'vitest';
import { REFRESH_SCENARIOS } from '../fault-injection/refresh/scenarios.ts';
import { SEED, seededSample } from '../fault-injection/seeded-sample.ts';
import { testAddress } from './namespace.ts';

const SAMPLE = 3;

describe('proofs of the refresh', () => {
  it.each(seededSample(REFRESH_SCENARIOS, SAMPLE))(
    `$requirement: $id leaves the expected state (seed ${String(SEED)})`,
    async ({ run }) => {
      expect(await run({ address: testAddress(), scale: 'Sample' })).toEqual([]);
    },
  );
});

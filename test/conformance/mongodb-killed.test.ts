/** A MongoDB server is killed under load; `npm run prove -- mongodb` kills it more often. */
import { expect, it } from 'vitest';

import { describeUnless } from '../cluster/needs.ts';
import { missingForOwnMongodb } from '../cluster/test-mongodb.ts';
import { afterKills } from '../fault-injection/mongodb.ts';
import { SEED } from '../fault-injection/seeded-sample.ts';

const KILLS = 2;
const TEST_MS_MAX = 120_000;

describeUnless(await missingForOwnMongodb())('a MongoDB server', () => {
  it(
    `STORE-43: killed ${String(KILLS)} times under 32 writers, keeps each write it acknowledged ` +
      `once (seed ${String(SEED)})`,
    { timeout: TEST_MS_MAX },
    async () => {
      const { findings, acknowledged } = await afterKills({ seed: SEED, kills: KILLS });
      expect(findings).toEqual([]);
      expect(acknowledged).toBeGreaterThan(KILLS);
    },
  );
});

/** A sample of the kill matrix; `npm run prove -- kill` runs all of it. */
import { describe, expect, it } from 'vitest';
import { KILL_CASES } from '../fault-injection/kill-cases.ts';
import { openKillBench } from '../fault-injection/kill.ts';
import { SEED, seededSample } from '../fault-injection/seeded-sample.ts';
import { testAddress } from '../workflows/namespace.ts';
import { shared } from '#test/shared-fixture.ts';

const SAMPLE = 2;

describe('TMP-02: killing a worker or its server at any point', () => {
  const bench = shared(() => openKillBench(testAddress()));

  it.each(seededSample(KILL_CASES, SAMPLE))(
    `$id leaves the same state as an undisturbed run (seed ${String(SEED)})`,
    async (given) => {
      expect(await bench().findings(given)).toEqual([]);
    },
  );
});

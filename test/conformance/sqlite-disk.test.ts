/** A sample of the faults of a disk; `npm run prove -- storage` runs all of them. */
import { describe, expect, test } from 'vitest';
import { SEED, seededSample } from '../prove/seeded-sample.ts';
import { refusal, storageFaults, storageFindings } from '../prove/storage.ts';

const SAMPLE = 8;

const why = await refusal();
const faults = why === null ? seededSample(await storageFaults(), SAMPLE) : [];

describe('MEM-02: a disk that fails, is full, or is there when the process is killed', () => {
  if (why !== null) test.skip(`MEM-02: not run, since ${why}`, () => undefined);

  test.each(faults)(
    `MEM-02: $id loses nothing that was acknowledged (seed ${String(SEED)})`,
    async (fault) => {
      expect(await storageFindings(fault)).toEqual([]);
    },
  );
});

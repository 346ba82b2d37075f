/** A sample of the faults of a disk; `npm run prove -- storage` runs all of them. */
import { expect, test } from 'vitest';
import { describeUnless } from '../cluster/needs.ts';
import { missingForTrace } from '../fault-injection/storage-trace.ts';
import { storageFaults, storageFindings } from '../fault-injection/storage.ts';
import { SEED, seededSample } from '../fault-injection/seeded-sample.ts';

const SAMPLE = 8;

const missing = await missingForTrace();
const faults = missing === null ? seededSample(await storageFaults(), SAMPLE) : [];
const aDisk = 'a disk that fails, is full, or is there when the process is killed';

describeUnless(missing)(aDisk, () => {
  test('the sample is as large as it says', () => {
    expect(new Set(faults.map(({ id }) => id)).size).toBe(SAMPLE);
  });

  test('a flush that fails is told as such, and its writes do not run again', async () => {
    const fault = { call: 'fdatasync', nth: 2, effect: 'EIO' } as const;
    expect(await storageFindings(fault)).toEqual([]);
  });

  test.each(faults)(
    `$id loses nothing that was acknowledged (seed ${String(SEED)})`,
    async (fault) => {
      expect(await storageFindings(fault)).toEqual([]);
    },
  );
});

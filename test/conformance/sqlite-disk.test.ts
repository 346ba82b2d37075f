/** A sample of disk faults; `npm run prove -- storage` runs all of them. */
import { expect, test } from 'vitest';
import { describeUnless } from '../cluster/needs.ts';
import { missingForTrace } from '../fault-injection/storage-trace.ts';
import { storageFaults, storageFindings } from '../fault-injection/storage.ts';
import { SEED, seededSample } from '../fault-injection/seeded-sample.ts';

const SAMPLE = 8;

const missing = await missingForTrace();
const faults = missing === null ? seededSample(await storageFaults(), SAMPLE) : [];
const aDisk = 'a disk that fails or is full, or a process that is killed';

describeUnless(missing)(aDisk, () => {
  test('the sample has the declared size', () => {
    expect(new Set(faults.map(({ id }) => id)).size).toBe(SAMPLE);
  });

  test('a failed flush is reported, and its writes are not repeated', async () => {
    const fault = { call: 'fdatasync', nth: 2, effect: 'EIO' } as const;
    expect(await storageFindings(fault)).toEqual([]);
  });

  test.each(faults)(`$id loses no acknowledged write (seed ${String(SEED)})`, async (fault) => {
    expect(await storageFindings(fault)).toEqual([]);
  });
});

/** Adds that wait for the disk, by one writer and by many, against what the disk can do at all. */
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { tenantOf, type OwnStore } from './own-store.ts';

const WRITERS = 32;
/** Adds of one writer in a round; the many make as many each. */
const ADDS = 24;
const FLUSHES = 200;
const FLUSHED_BYTES = 16_384;
const MILLISECONDS = 1_000;

export interface AddRates {
  /** Flushes of the disk, adds by one writer and by all, each in a second. */
  readonly flushes: readonly number[];
  readonly one: readonly number[];
  readonly many: readonly number[];
}

export async function measureAdds(
  store: OwnStore,
  { texts, rounds }: { texts: readonly string[]; rounds: number },
): Promise<AddRates> {
  const rates = { flushes: [] as number[], one: [] as number[], many: [] as number[] };
  let next = 0;
  const addSome = async () => {
    for (let at = 0; at < ADDS; at += 1) {
      await store.add(tenantOf(0), texts[(next += 1) % texts.length] ?? '');
    }
  };
  await addSome();
  for (let round = 0; round < rounds; round += 1) {
    rates.flushes.push(flushesASecond(store.dataDir));
    rates.one.push(await aSecond(ADDS, addSome));
    const all = () => Promise.all(Array.from({ length: WRITERS }, addSome));
    rates.many.push(await aSecond(WRITERS * ADDS, all));
  }
  return rates;
}

/** Writes of a page, each followed by a flush of the data alone. */
function flushesASecond(folder: string): number {
  const file = path.join(folder, 'flushed');
  const handle = openSync(file, 'w');
  const page = Buffer.alloc(FLUSHED_BYTES, 1);
  const startedAt = performance.now();
  for (let at = 0; at < FLUSHES; at += 1) {
    writeSync(handle, page);
    fdatasyncSync(handle);
  }
  const took = performance.now() - startedAt;
  closeSync(handle);
  rmSync(file);
  return (FLUSHES * MILLISECONDS) / took;
}

async function aSecond(count: number, work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (count * MILLISECONDS) / (performance.now() - startedAt);
}

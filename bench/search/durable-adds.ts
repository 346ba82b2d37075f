/**
 * Adds that wait for the disk, by one writer and by many, compared with what the disk can do at
 * most.
 */
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { madeUpMemories, SEED } from './made-up-memories.ts';
import { tenantOf, type OwnStore } from './own-store.ts';

export const WRITERS = 32;
/** Adds of one writer in a round; each of the many writers makes as many. */
const ADDS = 24;
/**
 * Unmeasured rounds of the many writers: in a store that has been open for a while, most words are
 * known and the code is compiled.
 */
const ROUNDS_BEFORE = 5;
const FLUSHES = 100;
const MILLISECONDS = 1_000;

export interface AddRates {
  /** Bytes that one add appends to the log; the flushes for comparison write as many. */
  readonly bytes: number;
  /**
   * Flushes of the disk, adds by one writer, and adds by all, each per second, one value a round.
   */
  readonly flushes: readonly number[];
  readonly one: readonly number[];
  readonly many: readonly number[];
}

export async function measureAdds(store: OwnStore, rounds: number): Promise<AddRates> {
  // Every text differs, since the vector of a known text would not be made again.
  const adds = ADDS * (2 + WRITERS * ROUNDS_BEFORE + (1 + WRITERS) * rounds);
  const { memories } = madeUpMemories(adds, SEED + 1);
  let next = 0;
  const addSome = async () => {
    for (let at = 0; at < ADDS; at += 1) {
      const content = memories[next] ?? '';
      next += 1;
      await store.add(tenantOf(0), content);
    }
  };
  const addAll = () => Promise.all(Array.from({ length: WRITERS }, addSome));
  await addSome();
  const bytes = await bytesOf(store, addSome);
  for (let round = 0; round < ROUNDS_BEFORE; round += 1) await addAll();
  const rates = { bytes, flushes: [] as number[], one: [] as number[], many: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    rates.flushes.push(flushesASecond(store.dataDir, bytes));
    rates.one.push(await aSecond(ADDS, addSome));
    rates.many.push(await aSecond(WRITERS * ADDS, addAll));
  }
  return rates;
}

/** Returns by how much the log of a new store grows for each add. */
async function bytesOf(store: OwnStore, addSome: () => Promise<void>): Promise<number> {
  const before = await store.fileBytes();
  await addSome();
  return Math.round(((await store.fileBytes()) - before) / ADDS);
}

/** Writes as many bytes as an add in the same folder, and flushes the data of each write. */
function flushesASecond(folder: string, bytes: number): number {
  const file = path.join(folder, 'flushed');
  const handle = openSync(file, 'w');
  const written = Buffer.alloc(bytes, 1);
  const startedAt = performance.now();
  for (let at = 0; at < FLUSHES; at += 1) {
    writeSync(handle, written);
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

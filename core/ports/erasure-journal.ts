/** A ledger of erasures that no backup of the database has. */
import type { ErasureEntry } from '../records/erasure.ts';

export interface ErasureJournal {
  /** The one with the highest number; null where there is none. */
  last(): Promise<ErasureEntry | null>;
  /** By their numbers, those above one. */
  after(number: number): AsyncIterable<ErasureEntry>;
  /** Durable once it resolves. Repeatable. */
  write(entry: ErasureEntry): Promise<void>;
}

/** What becomes of each item of a call with many. */
import { VarveError } from '#core/errors.ts';
import { BULK_CHUNK_MAX, type ItemOutcome } from '#core/ports/write-rules.ts';

/** Writes announced at once: other writers of the scope still find room (`INTENTS_MAX`). */
export const TOGETHER_MAX = 100;

/** @throws VarveError INVALID_INPUT for more than a chunk */
export function requireChunk(items: number): void {
  if (items <= BULK_CHUNK_MAX) return;
  throw new VarveError('INVALID_INPUT', `A call takes at most ${BULK_CHUNK_MAX} memories.`, {
    details: { items, itemsMax: BULK_CHUNK_MAX },
  });
}

export async function outcomeOf<T>(write: () => Promise<T>): Promise<ItemOutcome<T>> {
  try {
    return { ok: true, outcome: await write() };
  } catch (error) {
    return failed(error);
  }
}

/** A failure of the program is nobody's outcome. */
export function failed(error: unknown): { ok: false; error: VarveError } {
  if (error instanceof VarveError) return { ok: false, error };
  throw error;
}

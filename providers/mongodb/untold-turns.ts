/**
 * Chunks of turns that an earlier version wrote: they do not say how old their text is, so no
 * compaction finds them. An index holds them alone. They are told at open, and again by each look
 * for old turns, since processes of that version may go on writing for a while.
 */
import { VarveError } from '#core/errors.ts';

import { byId } from './table.ts';
import { decodeChunk, encodeTurns, type TurnChunk, type TurnChunks } from './turn-chunk.ts';

/** Chunks fetched and written at once: up to 100 MB. */
const CHUNKS_MAX = 16;
/** A database of 16 million chunks would take hours; the rest is told by the next look. */
const BATCHES_MAX = 1_000_000;
/** Chunks that a look at the health reads. */
const LOOKED_AT_MAX = 16;

/** Asked across tenants. */
const UNTOLD = { told: null } as const;
const IN_ORDER = { told: 1, _id: 1 } as const;

/** Repeatable, and by several processes at once. What can't be read is passed over. */
export async function tellTurns(turns: TurnChunks): Promise<void> {
  let last: TurnChunk['_id'] | null = null;
  for (let batches = 0; batches < BATCHES_MAX; batches += 1) {
    const later = last === null ? UNTOLD : { ...UNTOLD, _id: { $gt: last } };
    const found: readonly TurnChunk[] = await turns.select(later, {
      sort: IN_ORDER,
      limit: CHUNKS_MAX,
    });
    await turns.writeMany(found.flatMap(toldOf));
    last = found.at(-1)?._id ?? null;
    if (found.length < CHUNKS_MAX) return;
  }
}

/** What health says of chunks that can't be read; they keep their text for ever. */
export async function untoldFindings(turns: TurnChunks): Promise<string[]> {
  const found = await turns.select(UNTOLD, { sort: IN_ORDER, limit: LOOKED_AT_MAX });
  if (!found.some((chunk) => toldOf(chunk).length === 0)) return [];
  return [
    'Some turns are damaged, so their text is never compacted. Restore the collection turns from ' +
      'a backup.',
  ];
}

/** None for a damaged chunk, which is not to keep all others from being told. */
function toldOf(chunk: TurnChunk) {
  const { _id, token } = chunk;
  try {
    const { textAt } = encodeTurns(decodeChunk(chunk));
    const change = { told: true, ...(textAt === null ? {} : { textAt }) };
    return [{ condition: { ...byId(_id), token }, change: { $set: change } }];
  } catch (error) {
    if (error instanceof VarveError && error.code === 'CORRUPT') return [];
    throw error;
  }
}

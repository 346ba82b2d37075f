/** Embeds a text that is being written, in the generations in force when its writing begins. */
import { VarveError } from '#core/errors.ts';
import { STATE_AGE_MAX_MS } from '#core/embedding/reembed.ts';
import {
  generationsToWrite,
  readState,
  type Generations,
  type StateRead,
} from './embedding-generations.ts';
import type { Call } from './measured-call.ts';
import type { EngineParts } from './engine-parts.ts';
import { embedPassages, type Passage } from './embed-passages.ts';
import type { TextToEmbed } from './embedding-batches.ts';

/** Model changes that may start or end while one call embeds; each takes at least a minute. */
const TRIES_MAX = 4;

/**
 * Embeds texts, and embeds missing ones again if a model change started or ended meanwhile: many
 * calls of an embedder take longer than such a change waits for earlier writers. Texts that are
 * already embedded come from the cache.
 * @throws VarveError CANCELLED, CONFLICT if the generations keep changing
 */
export async function currentPassages(
  { ports, vectors }: Pick<EngineParts, 'ports' | 'vectors'>,
  call: Call,
  texts: readonly TextToEmbed[],
  begun?: StateRead,
): Promise<readonly Passage[]> {
  let { state, readAt } = begun ?? (await readState(ports, call));
  let generations = await generationsToWrite(ports, call, state);
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const passages = await embedPassages(vectors, call, { generations, texts });
    if (ports.timers.timer() - readAt <= STATE_AGE_MAX_MS) return passages;
    ({ state, readAt } = await readState(ports, call));
    const now = await generationsToWrite(ports, call, state);
    if (isSame(generations, now)) return passages;
    generations = now;
  }
  throw new VarveError('CONFLICT', 'The embedding state keeps changing; try again.');
}

function isSame(before: Generations, now: Generations): boolean {
  return before.active.name === now.active.name && before.target?.name === now.target?.name;
}

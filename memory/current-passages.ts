/** Vectors of a text that is written, of the generations that hold when its writing begins. */
import { VarveError } from '#core/errors.ts';
import { STATE_AGE_MAX_MS } from '#core/embedding/reembed.ts';
import { generationsToWrite, type Generations } from './generations.ts';
import type { Call } from './operation.ts';
import type { EngineParts } from './parts.ts';
import { embedPassages, type Passage } from './passages.ts';
import type { TextToEmbed } from './vectors.ts';

/** Changes of model that may begin or end while one call embeds; each takes a minute at least. */
const TRIES_MAX = 4;

/**
 * Embeds texts, and again with what is missing where a change of model began or ended meanwhile:
 * many calls of an embedder outlast the time that such a change waits for writers of before. What
 * was embedded already is in the cache.
 * @throws VarveError CANCELLED, CONFLICT where the generations change all the time
 */
export async function currentPassages(
  { ports, vectors }: Pick<EngineParts, 'ports' | 'vectors'>,
  call: Call,
  texts: readonly TextToEmbed[],
): Promise<readonly Passage[]> {
  const { timers } = ports;
  let readAt = timers.timer();
  let generations = await generationsToWrite(ports, call);
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const passages = await embedPassages(vectors, call, { generations, texts });
    if (timers.timer() - readAt <= STATE_AGE_MAX_MS) return passages;
    readAt = timers.timer();
    const now = await generationsToWrite(ports, call);
    if (isSame(generations, now)) return passages;
    generations = now;
  }
  throw new VarveError('CONFLICT', 'The embedding state changes all the time; try again.');
}

function isSame(before: Generations, now: Generations): boolean {
  return before.active.name === now.active.name && before.target?.name === now.target?.name;
}

/** Splits what is longer than one turn, or than one call. */
import { CONTENT_LENGTH_MAX } from '../records/memory.ts';
import { chunksOf } from '../text/cut-long-text.ts';

interface Said {
  readonly id?: string | undefined;
  readonly content: string;
  readonly toolCalls?: readonly unknown[];
}

/** Characters of one call: the API reads bodies up to 4 MiB. */
const UNITS_PER_CALL = 400_000;

/**
 * Splits a message above the limit of one turn into several, whose joined texts are its text. The
 * first has the id of the message; the last has its tool calls.
 */
export function splitLongMessage<T extends Said>(said: T, unitsMax: number): readonly T[] {
  const { id, content, toolCalls } = said;
  if (content.length <= unitsMax) return [said];
  const texts: string[] = [];
  for (const chunk of chunksOf(content, { aim: CONTENT_LENGTH_MAX })) {
    const last = texts.at(-1);
    if (last === undefined || last.length + chunk.length > unitsMax) texts.push(chunk);
    else texts[texts.length - 1] = last + chunk;
  }
  return texts.map((text, place) => ({
    ...said,
    content: text,
    ...(id === undefined || place === 0 ? {} : { id: `${id}/chunk-${String(place + 1)}` }),
    ...(toolCalls !== undefined && place < texts.length - 1 ? { toolCalls: [] } : {}),
  }));
}

/** Groups turns for calls that are below the limits of one call, over HTTP too. */
export function* callsWith<T extends Said>(said: readonly T[], most: number): Generator<T[]> {
  let some: T[] = [];
  let units = 0;
  for (const each of said) {
    const calls = each.toolCalls === undefined ? 0 : JSON.stringify(each.toolCalls).length;
    const own = each.content.length + calls;
    if (some.length === most || (some.length > 0 && units + own > UNITS_PER_CALL)) {
      yield some;
      some = [];
      units = 0;
    }
    some.push(each);
    units += own;
  }
  if (some.length > 0) yield some;
}

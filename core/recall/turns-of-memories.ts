/** Finds the memories of an answer that can stand in place of the turns they were made from. */
import { turnKey, type PastPassage } from '../context/past-turns.ts';
import { withoutSourceDates } from '../sources/source.ts';
import { withoutSpeakerLabel } from '../text/speaker-label.ts';
import type { NewerIds } from './outdated/outdated-memories.ts';
import { repeats, valuesOf } from './ranking/count-near-duplicates.ts';
import type { RecallHit } from './recall-hits.ts';

interface MadeFromTurns {
  readonly memories: readonly { readonly id: string; readonly content: string }[];
  /** By the id of a memory that was kept from a turn: the `turnKey` of the turn. */
  readonly turns: ReadonlyMap<string, string>;
}

/**
 * Returns the hits of turns of one passage that say nothing but what a memory made from them says,
 * by the id of the memory. One memory stands for a turn: the first that does.
 */
export function turnsOfMemories(
  { memories, turns }: MadeFromTurns,
  hits: readonly RecallHit[],
  termsOf: (text: string) => readonly string[],
): ReadonlyMap<string, RecallHit> {
  const left = new Map(hits.map((hit) => [turnKey(hit.passage), hit]));
  const found = new Map<string, RecallHit>();
  for (const { id, content } of memories) {
    const key = turns.get(id);
    const hit = key === undefined ? undefined : left.get(key);
    if (key === undefined || hit === undefined || !isSame(content, hit.passage, termsOf)) continue;
    left.delete(key);
    found.set(id, hit);
  }
  return found;
}

function isSame(
  content: string,
  { speaker, text, isFirst, isLast }: Pick<PastPassage, 'speaker' | 'text' | 'isFirst' | 'isLast'>,
  termsOf: (text: string) => readonly string[],
): boolean {
  const told = withoutSpeakerLabel(withoutSourceDates(content), speaker);
  const values = new Set(valuesOf(told).split(' '));
  if (
    !isFirst ||
    !isLast ||
    !valuesOf(text)
      .split(' ')
      .every((value) => values.has(value))
  )
    return false;
  const kept = new Set(termsOf(told));
  const said = new Set(termsOf(text));
  return repeats(kept, said) && repeats(said, kept);
}

/** Puts memories in the place of their turns in what replaces what. */
export function withMemoriesForTurns(
  outdated: NewerIds,
  idOfTurn: ReadonlyMap<string, string>,
): NewerIds {
  const joined = new Map<string, Set<string>>();
  for (const [older, newer] of outdated) {
    const id = idOfTurn.get(older) ?? older;
    const ids = newer.map((key) => idOfTurn.get(key) ?? key).filter((other) => other !== id);
    joined.set(id, new Set([...(joined.get(id) ?? []), ...ids]));
  }
  return new Map([...joined].map(([id, ids]) => [id, [...ids]]));
}

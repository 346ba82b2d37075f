/**
 * Finds newer memories that replace a hit of a search. They share words with the hit, but often
 * none with the question: `Sold the Civic` for `What do I drive?`.
 */
import {
  comparedFirst,
  comparedMemory,
  outdatedMemories,
} from '#core/recall/outdated/outdated-memories.ts';
import { questionTerms } from '#core/recall/words/recall-terms.ts';
import type { Memory } from '#core/records/memory.ts';
import type { Scope } from '#core/scope.ts';
import type { MemoryConditions } from '#core/search/scope-search.ts';
import type { SearchHit, SearchReport } from '#core/search/search-result.ts';
import type { Call } from './measured-call.ts';
import type { ProviderPorts } from './provider-ports.ts';

/** The best hits to look for replacements of, and memories of a scope to look among. */
const HITS_MAX = 3;
/** Length of a hit in UTF-16 code units: of a longer text, a newer one ends only a part. */
const HIT_UNITS_MAX = 300;
const LOOKED_AMONG_MAX = 20;

interface Found extends Pick<SearchReport, 'beyond' | 'duplicates' | 'misses'> {
  /** The best first. */
  readonly hits: readonly SearchHit[];
}

/**
 * Returns what replaces one of the best hits, and no longer lists it among the other results, nor
 * what only repeats another result.
 */
export async function withReplacements<T extends Found>(
  { store, analyzer }: ProviderPorts,
  { retried }: Call,
  {
    scopes,
    conditions,
    found,
    isStanding,
  }: {
    readonly scopes: readonly Scope[];
    readonly conditions: MemoryConditions;
    readonly found: T;
    readonly isStanding: (memory: Memory) => boolean;
  },
): Promise<T & Pick<SearchReport, 'replacements'>> {
  const best = found.hits
    .toSorted((a, b) => b.score - a.score)
    .slice(0, HITS_MAX)
    .map(({ memory }) => memory)
    .filter(({ content }) => content.length <= HIT_UNITS_MAX);
  const near = await Promise.all(
    scopes.map(async (scope) => {
      const texts = best.filter(({ layer }) => layer === scope.layer).map(({ content }) => content);
      if (texts.length === 0) return [];
      const terms = questionTerms(analyzer, texts.join('\n'));
      const query = { conditions, terms, vectors: [], limit: LOOKED_AMONG_MAX };
      const { candidates } = await retried(() => store.memories.search(scope, query));
      return candidates.map(({ memory }) => memory).filter(isStanding);
    }),
  );
  const listed = new Map([...found.beyond, ...found.misses].map((hit) => [hit.memory.id, hit]));
  const unlisted = near.flat().filter(({ id }) => !listed.has(id));
  const among = [...[...listed.values()].map(({ memory }) => memory), ...unlisted];
  const unsaid = withoutRepeats(among, found);
  const others = comparedFirst(near.flat().filter(({ id }) => unsaid.has(id)));
  const compared = [...best, ...others].map((memory) => comparedMemory(memory, analyzer));
  const { outdated, newerElsewhere } = outdatedMemories(compared);
  const newer = new Set(
    best.flatMap(({ id }) => [...(outdated.get(id) ?? []), ...(newerElsewhere.get(id) ?? [])]),
  );
  const isOther = ({ memory: { id } }: SearchHit): boolean => unsaid.has(id) && !newer.has(id);
  return {
    ...found,
    beyond: found.beyond.filter(isOther),
    misses: found.misses.filter(isOther),
    replacements: others
      .filter(({ id }) => newer.has(id))
      .map((memory) => listed.get(memory.id) ?? { memory, ...NOT_COMPARED }),
  };
}

/** Returns the ids of memories that repeat no hit of their layer; of equal memories, the newest. */
function withoutRepeats(
  memories: readonly Memory[],
  { hits, duplicates }: Found,
): ReadonlySet<string> {
  const textOf = ({ layer, contentHash }: Memory) => `${layer}/${contentHash}`;
  const newest = new Map<string, Memory>();
  for (const memory of memories) {
    const other = newest.get(textOf(memory));
    if (other === undefined || other.validFrom < memory.validFrom) {
      newest.set(textOf(memory), memory);
    }
  }
  for (const { memory } of hits) newest.delete(textOf(memory));
  const ids = new Set([...newest.values()].map(({ id }) => id));
  return ids.difference(new Set(duplicates.map(({ id }) => id)));
}

/** Of a memory that the question did not find. */
const NOT_COMPARED = { score: 0, conflictsWith: [], explanation: null } as const;

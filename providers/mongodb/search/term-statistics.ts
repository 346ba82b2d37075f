/** What the keyword leg has to know of a scope that is not in memory as a whole. */
import type { TermStatistics } from '#core/search/scope-index.ts';
import type { Scope } from '#core/scope.ts';
import type { Driver } from '#store/driver.ts';
import { scopeKeyOf, SCOPES } from '#store/kinds.ts';

import { inScope } from '../filter-condition.ts';
import type { MemoryDocument, MemoryDocuments } from '../memory-documents.ts';
import { FINDABLE } from './light-document.ts';

/** Different terms of a query that are looked up; the rest of a longer one is noise. */
const TERMS_MAX = 64;
/** A term that so many memories have says nothing more by being in others too. */
const FREQUENCY_MAX = 20_000;

export interface CountedTerm {
  readonly term: string;
  readonly frequency: number;
}

/** The different terms of a query that the scope has, the rarest first. */
export async function countedTerms(
  memories: MemoryDocuments,
  scope: Scope,
  terms: readonly string[],
): Promise<readonly CountedTerm[]> {
  const wanted = [...new Set(terms)].slice(0, TERMS_MAX);
  const counted = await Promise.all(
    wanted.map(async (term) => {
      const having = { ...inScope(scope), terms: term };
      return { term, frequency: await memories.count(having, FREQUENCY_MAX) };
    }),
  );
  return counted
    .filter(({ frequency }) => frequency > 0)
    .toSorted((a, b) => a.frequency - b.frequency || (a.term < b.term ? -1 : 1));
}

/** The mean length is that of the candidates; a term that was not counted is in as many as here. */
export async function statisticsOf(
  { memories, driver }: { memories: MemoryDocuments; driver: Pick<Driver, 'get'> },
  scope: Scope,
  {
    counted,
    candidates,
  }: {
    counted: readonly CountedTerm[];
    candidates: readonly MemoryDocument[];
  },
): Promise<TermStatistics> {
  const frequencies = new Map(counted.map(({ term, frequency }) => [term, frequency]));
  const kept = (await driver.get(SCOPES, scopeKeyOf(scope)))?.sourceCount ?? 0;
  const some = await memories.count({ ...inScope(scope), ...FINDABLE }, FREQUENCY_MAX);
  const length = candidates.reduce((sum, { terms }) => sum + terms.length, 0);
  return {
    documents: Math.max(kept, some),
    averageLength: candidates.length === 0 ? 0 : length / candidates.length,
    documentFrequency: (term) =>
      frequencies.get(term) ?? candidates.filter(({ terms }) => terms.includes(term)).length,
  };
}

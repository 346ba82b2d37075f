/**
 * Finds other forms of a question's word among the words of a scope: `alergias` and `alérgica`,
 * `Zahnarzttermin` and `Zahnarzt`. Terms are stemmed for English only, and no stemmer splits
 * compounds. Applies only to a word that the scope lacks, so that the written words decide if they
 * can.
 */

/** Minimum length of the common beginning of two forms, and its share of the longer one. */
export const BEGINNING_UNITS_MIN = 4;
const BEGINNING_SHARE_MIN = 0.6;
/** Minimum length of a part of a compound. */
const PART_UNITS_MIN = 5;
/** Maximum forms of one term; the most similar ones stay. */
const FORMS_MAX = 8;

const LATIN = /^\p{Script=Latin}+$/u;

/** Returns the terms of a vocabulary that are other forms of a term, most similar first. */
export function formsIn(vocabulary: Iterable<string>, term: string): readonly string[] {
  if (term.length < BEGINNING_UNITS_MIN || !LATIN.test(term)) return [];
  const found: { other: string; likeness: number }[] = [];
  for (const other of vocabulary) {
    const likeness = likenessOf(term, other);
    if (likeness > 0 && other !== term && LATIN.test(other)) found.push({ other, likeness });
  }
  return found
    .toSorted((a, b) => b.likeness - a.likeness || (a.other < b.other ? -1 : 1))
    .slice(0, FORMS_MAX)
    .map(({ other }) => other);
}

/** Returns the share of the longer term that both have in common; 0 if they are no forms. */
function likenessOf(term: string, other: string): number {
  const longer = Math.max(term.length, other.length);
  const shorter = Math.min(term.length, other.length);
  if (shorter < BEGINNING_UNITS_MIN) return 0;
  let common = 0;
  while (common < shorter && term[common] === other[common]) common += 1;
  if (common >= Math.max(BEGINNING_UNITS_MIN, BEGINNING_SHARE_MIN * longer)) return common / longer;
  if (shorter < PART_UNITS_MIN) return 0;
  const isPart = common === shorter || term.endsWith(other) || other.endsWith(term);
  return isPart ? shorter / longer : 0;
}

/**
 * Finds other forms of a question's words among the words of a scope: `alergias` and `alérgica`,
 * `Zahnarzttermin` and `Zahnarzt`. Terms are stemmed for English only, and no stemmer splits
 * compounds. Applies only to words that the scope lacks, so that the written words decide if they
 * can.
 */

/** Minimum length of the common beginning of two forms, and its share of the longer one. */
export const BEGINNING_UNITS_MIN = 4;
const BEGINNING_SHARE_MIN = 0.6;
/** Minimum length of a part of a compound. */
const PART_UNITS_MIN = 5;
/** Maximum forms of one term; the most similar ones stay. */
const FORMS_MAX = 8;
/** Maximum terms of a question to find forms of; a longer one is a text, and its rest is noise. */
const TERMS_MAX = 32;

const LATIN = /^\p{Script=Latin}+$/u;

interface Sought {
  readonly term: string;
  /** Most similar first. */
  readonly found: { readonly other: string; readonly likeness: number }[];
}

/**
 * Returns the terms of a vocabulary that are other forms of a term, most similar first, by the
 * term. Reads the vocabulary once, which may be large.
 */
export function formsIn(
  vocabulary: Iterable<string>,
  terms: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const sought = terms
    .filter((term) => term.length >= BEGINNING_UNITS_MIN && LATIN.test(term))
    .slice(0, TERMS_MAX)
    .map((term): Sought => ({ term, found: [] }));
  const byBeginning = Map.groupBy(sought, ({ term }) => beginningOf(term));
  const byEnd = Map.groupBy(sought, ({ term }) => endOf(term));
  for (const other of sought.length === 0 ? [] : vocabulary) {
    if (other.length < BEGINNING_UNITS_MIN) continue;
    const beginning = beginningOf(other);
    for (const each of byBeginning.get(beginning) ?? []) offer(each, other);
    for (const each of byEnd.get(endOf(other)) ?? []) {
      if (beginningOf(each.term) !== beginning) offer(each, other);
    }
  }
  return new Map(
    sought
      .filter(({ found }) => found.length > 0)
      .map(({ term, found }) => [term, found.map(({ other }) => other)]),
  );
}

/** Forms have one beginning or one end. */
function beginningOf(term: string): string {
  return term.slice(0, BEGINNING_UNITS_MIN);
}

function endOf(term: string): string {
  return term.slice(-PART_UNITS_MIN);
}

function offer({ term, found }: Sought, other: string): void {
  const likeness = likenessOf(term, other);
  if (likeness === 0 || other === term) return;
  const place = found.findIndex(
    (each) => likeness > each.likeness || (likeness === each.likeness && other < each.other),
  );
  if (place === -1 && found.length === FORMS_MAX) return;
  if (!LATIN.test(other)) return;
  found.splice(place === -1 ? found.length : place, 0, { other, likeness });
  if (found.length > FORMS_MAX) found.pop();
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

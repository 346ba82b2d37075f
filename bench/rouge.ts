/**
 * ROUGE-N: how many n-grams a text shares with a human one.
 *
 * Source: C.-Y. Lin, "ROUGE: A Package for Automatic Evaluation of Summaries", 2004. Words are
 * runs of a-z and 0-9 of the lowercased text; stop words stay; words of more than three letters
 * are stemmed with Porter's stemmer, as the standard script's option -m does. Its exception list
 * of irregular forms is not used.
 */
import { createStem } from '#core/text/stem.ts';

export interface RougeScore {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

const STEMMED_CHARS_MIN = 4;

/** The stemmed words of a text as ROUGE counts them. Make one per run: it remembers stems. */
export function createRougeWords(): (text: string) => readonly string[] {
  const stem = createStem('porter');
  return (text) =>
    (text.toLowerCase().match(/[a-z0-9]+/gu) ?? []).map((word) =>
      word.length < STEMMED_CHARS_MIN ? word : stem(word),
    );
}

/** ROUGE-N of candidate words against reference words; n-grams are counted with clipping. */
export function rougeN(
  candidate: readonly string[],
  reference: readonly string[],
  n: number,
): RougeScore {
  const said = countGrams(candidate, n);
  const wanted = countGrams(reference, n);
  let shared = 0;
  for (const [gram, count] of wanted.counts) shared += Math.min(count, said.counts.get(gram) ?? 0);
  const precision = said.total === 0 ? 0 : shared / said.total;
  const recall = wanted.total === 0 ? 0 : shared / wanted.total;
  const f1 = shared === 0 ? 0 : (2 * precision * recall) / (precision + recall);
  return { precision, recall, f1 };
}

interface Grams {
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
}

function countGrams(words: readonly string[], n: number): Grams {
  const counts = new Map<string, number>();
  for (let at = 0; at + n <= words.length; at += 1) {
    const gram = words.slice(at, at + n).join(' ');
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return { counts, total: Math.max(0, words.length - n + 1) };
}

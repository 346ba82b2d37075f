/**
 * TextRank with BM25 between sentences: sentences similar to many others come first. Sources: R.
 * Mihalcea, P. Tarau, "TextRank", EMNLP 2004; F. Barrios et al., "Variations of the Similarity
 * Function of TextRank", 2016.
 */
import { createStem } from '#core/text/stem.ts';
import { contentStems } from '#core/text/words.ts';

const K1 = 1.2;
const B = 0.75;
const DAMPING = 0.85;
const ROUNDS = 20;

export function centralFirst(sentences: readonly string[]): readonly string[] {
  const links = likeness(sentences);
  const totals = links.map((row) => [...row.values()].reduce((sum, weight) => sum + weight, 0));
  let ranks = sentences.map(() => 1);
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = sentences.map(() => 1 - DAMPING);
    for (const [from, row] of links.entries()) {
      const share = (DAMPING * (ranks[from] ?? 0)) / (totals[from] || 1);
      for (const [to, weight] of row) next[to] = (next[to] ?? 0) + share * weight;
    }
    ranks = next;
  }
  return sentences
    .map((sentence, at) => ({ sentence, rank: ranks[at] ?? 0 }))
    .toSorted((a, b) => b.rank - a.rank)
    .map(({ sentence }) => sentence);
}

/** Returns for every sentence its BM25 score as a query against every other. */
function likeness(sentences: readonly string[]): readonly ReadonlyMap<number, number>[] {
  const stem = createStem('english');
  const stems = sentences.map((sentence) => contentStems(sentence, stem));
  const mean = stems.flat().length / Math.max(1, stems.length);
  const places = Map.groupBy(
    stems.flatMap((own, at) => [...new Set(own)].map((each) => ({ each, at }))),
    ({ each }) => each,
  );
  return stems.map((own, from) => {
    const row = new Map<number, number>();
    for (const each of new Set(own)) {
      const found = places.get(each) ?? [];
      const idf = Math.log((stems.length - found.length + 0.5) / (found.length + 0.5));
      for (const { at } of found) {
        if (at === from || idf <= 0) continue;
        const length = K1 * (1 - B + (B * (stems[at]?.length ?? 0)) / mean);
        row.set(at, (row.get(at) ?? 0) + (idf * (K1 + 1)) / (1 + length));
      }
    }
    return row;
  });
}

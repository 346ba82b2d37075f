/**
 * The weighted features of a text: what two texts must share to be near each other.
 *
 * A feature is named by a 32-bit hash; two features of one text that share it are rare (one in 10⁵
 * for 300 features) and only add up. The weights were compared on 20 meetings of QMSum (Zhong et
 * al., NAACL 2021) by how near a question's own answer is among all answers: mean reciprocal rank
 * 0.52, and 0.46 without trigrams; the other weights hardly matter between half and twice theirs.
 */
import { finished, hashMore, seedOf } from './hash.ts';
import { type Word, wordsOf } from './words.ts';

/** Weight of one occurrence, by what kind of feature it is. */
const WEIGHTS = {
  word: 1,
  stop: 0.1,
  whole: 0.6,
  pair: 0.8,
  /** Two content words next to each other, stop words between them passed over. */
  neighbours: 0.3,
  /** Three characters of a word, its ends marked: for typos and for endings no stemmer knows. */
  trigram: 0.3,
};

/** A word longer than this has its first characters compared: the rest of it is noise. */
const TRIGRAM_WORD_UNITS_MAX = 40;

const SEEDS = {
  word: seedOf('word'),
  pair: seedOf('pair'),
  neighbours: seedOf('neighbours'),
  trigram: seedOf('trigram'),
  other: seedOf('other'),
};

export interface Feature {
  readonly weight: number;
  readonly count: number;
}

/** Features by hash. Empty only for a text of nothing but white space. */
export function featuresOf(
  text: string,
  stem: (word: string) => string,
): ReadonlyMap<number, Feature> {
  const features = new Map<number, { weight: number; count: number }>();
  const add = (hash: number, weight: number): void => {
    const known = features.get(hash);
    if (known === undefined) features.set(hash, { weight, count: 1 });
    else known.count += 1;
  };
  const words = wordsOf(text);
  let previous: string | undefined;
  for (const word of words) {
    const name = word.kind === 'pair' ? word.text : stem(word.text);
    const seed = word.kind === 'pair' ? SEEDS.pair : SEEDS.word;
    add(finished(hashMore(seed, name, 0, name.length)), WEIGHTS[word.kind]);
    if (word.kind !== 'word') continue;
    if (previous !== undefined) add(neighbourHash(previous, name), WEIGHTS.neighbours);
    previous = name;
    addTrigrams(word, add);
  }
  // Only punctuation or symbols: their characters are all there is to compare.
  if (words.length === 0) {
    for (const character of text.replaceAll(/\s/gu, '')) {
      add(finished(hashMore(SEEDS.other, character, 0, character.length)), WEIGHTS.word);
    }
  }
  return features;
}

function neighbourHash(left: string, right: string): number {
  const spaced = hashMore(hashMore(SEEDS.neighbours, left, 0, left.length), ' ', 0, 1);
  return finished(hashMore(spaced, right, 0, right.length));
}

function addTrigrams(word: Word, add: (hash: number, weight: number) => void): void {
  if (word.text.length < 3) return;
  const marked = `^${word.text.slice(0, TRIGRAM_WORD_UNITS_MAX)}$`;
  for (let at = 0; at + 3 <= marked.length; at += 1) {
    add(finished(hashMore(SEEDS.trigram, marked, at, at + 3)), WEIGHTS.trigram);
  }
}

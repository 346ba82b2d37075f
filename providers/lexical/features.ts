/**
 * The weighted features of a text: what two texts must share to be near each other.
 *
 * A 32-bit hash identifies a feature; collisions within a text are rare (one in 10⁵ for 300
 * features), and their weights only add up. The weights were compared on 20 meetings of QMSum
 * (Zhong et al., NAACL 2021) by how near a question's own answer is among all answers: mean
 * reciprocal rank 0.52, and 0.46 without trigrams; the other weights hardly matter between half and
 * twice theirs.
 */
import { memoized } from '#core/text/memoized.ts';
import { stem } from '#core/text/stem.ts';
import { wordsOf } from '#core/text/words.ts';

/** Weight of one occurrence, by kind of feature. */
const WEIGHTS = {
  word: 1,
  stop: 0.1,
  whole: 0.6,
  pair: 0.8,
  /** Two adjacent content words; stop words between them are skipped. */
  neighbors: 0.3,
  /** Three characters of a word with its ends marked: for typos and endings no stemmer knows. */
  trigram: 0.3,
};

/** Only this many first characters of a word are compared: the rest is noise. */
const TRIGRAM_WORD_UNITS_MAX = 40;

/** Offset basis and prime of 32-bit FNV-1a (Fowler, Noll, Vo; RFC 9923). */
const FNV_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

const SEEDS = {
  word: seedOf('word'),
  pair: seedOf('pair'),
  neighbors: seedOf('neighbors'),
  trigram: seedOf('trigram'),
  other: seedOf('other'),
};

/**
 * Words whose hashes a function of `createFeatures` keeps, about 200 bytes each. Longer words are
 * rare, and would make the cache large.
 */
const WORDS_KEPT = { entriesMax: 20_000, unitsMax: 40 };

interface Feature {
  /** Signed 32 bits. */
  readonly hash: number;
  readonly weight: number;
  readonly count: number;
}

/** Returns features in text order, each hash once; none only for a text of white space. */
export type FeaturesOf = (text: string) => readonly Feature[];

interface Counted extends Feature {
  count: number;
}

/** Hashes that a word adds by itself, wherever it occurs. */
interface WordHashes {
  /** Its stem. */
  readonly name: string;
  readonly own: number;
  readonly trigrams: readonly number[];
}

export function createFeatures(): FeaturesOf {
  const hashesOf = memoized((word): WordHashes => {
    const name = stem(word);
    return { name, own: hashOf(SEEDS.word, name), trigrams: trigramsOf(word) };
  }, WORDS_KEPT);
  return (text) => featuresOf(text, hashesOf);
}

function featuresOf(text: string, hashesOf: (word: string) => WordHashes): readonly Feature[] {
  const features: Counted[] = [];
  const byHash = new Map<number, Counted>();
  const add = (hash: number, weight: number): void => {
    const known = byHash.get(hash);
    if (known !== undefined) {
      known.count += 1;
      return;
    }
    const feature = { hash, weight, count: 1 };
    byHash.set(hash, feature);
    features.push(feature);
  };
  const words = wordsOf(text);
  let previous: string | undefined;
  for (const word of words) {
    if (word.kind === 'pair') {
      add(hashOf(SEEDS.pair, word.text), WEIGHTS.pair);
      continue;
    }
    const { name, own, trigrams } = hashesOf(word.text);
    add(own, WEIGHTS[word.kind]);
    if (word.kind !== 'word') continue;
    if (previous !== undefined) add(neighborHash(previous, name), WEIGHTS.neighbors);
    previous = name;
    for (const trigram of trigrams) add(trigram, WEIGHTS.trigram);
  }
  // Only punctuation or symbols: their characters are all there is to compare.
  if (words.length === 0) {
    for (const character of text.replaceAll(/\s/gu, '')) {
      add(hashOf(SEEDS.other, character), WEIGHTS.word);
    }
  }
  return features;
}

/** Signed, since a map looks up small signed integers fastest. */
function hashOf(seed: number, name: string): number {
  return finalizedHash(hashMore(seed, name, 0, name.length)) | 0;
}

function neighborHash(left: string, right: string): number {
  const spaced = hashMore(hashMore(SEEDS.neighbors, left, 0, left.length), ' ', 0, 1);
  return hashOf(spaced, right);
}

function trigramsOf(word: string): readonly number[] {
  if (word.length < 3) return [];
  const marked = `^${word.slice(0, TRIGRAM_WORD_UNITS_MAX)}$`;
  const hashes: number[] = [];
  for (let at = 0; at + 3 <= marked.length; at += 1) {
    hashes.push(finalizedHash(hashMore(SEEDS.trigram, marked, at, at + 3)) | 0);
  }
  return hashes;
}

/** The start hash of a kind of feature, so that the word "ab" is not the bigram "ab". */
function seedOf(kind: string): number {
  return hashMore(FNV_BASIS, kind, 0, kind.length);
}

/** FNV-1a continued over the UTF-16 code units of a part of a text, low byte first. */
export function hashMore(
  hash: number,
  text: string,
  ...[start, end]: [start: number, end: number]
): number {
  let state = hash;
  for (let at = start; at < end; at += 1) {
    const unit = text.charCodeAt(at);
    state = Math.imul(state ^ (unit & 0xff), FNV_PRIME);
    state = Math.imul(state ^ (unit >>> 8), FNV_PRIME);
  }
  return state;
}

/**
 * The finalizer of MurmurHash3 (A. Appleby, public domain): FNV's low bits are poor (its lowest one
 * is only the parity of the input's), and both the index and the sign of a feature come from here.
 */
export function finalizedHash(hash: number): number {
  let state = hash;
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}

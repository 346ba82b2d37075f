/**
 * Baselines that a summary has to beat: the first, random and longest sentences of the same
 * meeting.
 */
import { sentenceRanges } from '#core/text/sentences.ts';
import { createStem } from '#core/text/stem.ts';

export type CountTokens = (text: string) => number;

export interface MeetingTurn {
  readonly speaker: string;
  readonly content: string;
}

export interface BaselineOptions {
  readonly countTokens: CountTokens;
  /** Whether "Speaker: " is put before each sentence. */
  readonly prefixed: boolean;
  /** Whether the first sentence that does not fit is cut at a word; otherwise it is skipped. */
  readonly trimmed: boolean;
}

/** Returns the sentences of the raw transcript in order, split as the summarizer does. */
export function rawSentences(turns: readonly MeetingTurn[], prefixed: boolean): readonly string[] {
  return turns.flatMap((turn) =>
    sentenceRanges(turn.content).map(
      ({ start, end }) => (prefixed ? `${turn.speaker}: ` : '') + turn.content.slice(start, end),
    ),
  );
}

/** Sorts sentences by length in tokens, longest first; ties stay in the order of the meeting. */
export function longestFirst(sentences: readonly string[], count: CountTokens): readonly string[] {
  const costs = new Map(sentences.map((sentence) => [sentence, count(sentence)]));
  return [...sentences].toSorted((a, b) => (costs.get(b) ?? 0) - (costs.get(a) ?? 0));
}

/** Shuffles by the seed alone (mulberry32, T. Ettinger, public domain). */
export function shuffled(sentences: readonly string[], seed: number): readonly string[] {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return sentences
    .map((sentence) => ({ sentence, key: next() }))
    .toSorted((a, b) => a.key - b.key)
    .map((entry) => entry.sentence);
}

/** Fills a text with sentences in the given order up to the cap. */
export function fill(sentences: readonly string[], cap: number, options: BaselineOptions): string {
  const taken: string[] = [];
  let room = cap;
  for (const sentence of sentences) {
    const cost = options.countTokens(` ${sentence}`);
    if (cost <= room) {
      taken.push(sentence);
      room -= cost;
    } else if (options.trimmed) {
      taken.push(cutToRoom(sentence, room, options.countTokens));
      break;
    } else if (room <= FULL_TOKENS) break;
  }
  return taken.join(' ');
}

/** If no more than this is left, no further sentence is tried. */
const FULL_TOKENS = 3;

function cutToRoom(sentence: string, room: number, countTokens: CountTokens): string {
  const words = sentence.split(' ');
  while (words.length > 0 && countTokens(` ${words.join(' ')}`) > room) words.pop();
  return words.join(' ');
}

/** Counts each text only once, since a bench counts the same sentences for every cap and seed. */
export function memoized(countTokens: CountTokens): CountTokens {
  const known = new Map<string, number>();
  return (text) => {
    const seen = known.get(text);
    if (seen !== undefined) return seen;
    const count = countTokens(text);
    known.set(text, count);
    return count;
  };
}

/**
 * ROUGE-N: how many n-grams a text shares with a human one.
 *
 * Source: C.-Y. Lin, "ROUGE: A Package for Automatic Evaluation of Summaries", 2004. Words are
 * runs of a-z and 0-9 of the lowercased text; stop words stay; words of more than three letters
 * are stemmed with Porter's stemmer, as the standard script's option -m does. Its exception list
 * of irregular forms is not used.
 */
export interface RougeScore {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

const STEMMED_CHARS_MIN = 4;

/**
 * Returns the stemmed words of a text as ROUGE counts them. Make one per run: it remembers stems.
 */
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
  const expected = countGrams(reference, n);
  let shared = 0;
  for (const [gram, count] of expected.counts)
    shared += Math.min(count, said.counts.get(gram) ?? 0);
  const precision = said.total === 0 ? 0 : shared / said.total;
  const recall = expected.total === 0 ? 0 : shared / expected.total;
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

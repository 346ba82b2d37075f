/** Seeded memories and questions: word frequencies as in a language, plus some rare words. */

/** The size of all measurements with few memories. */
export const FEW = 6_000;
export const SEED = 20_261_121;

/** Words of the made-up language; the n-th is about n times rarer than the first (Zipf). */
const WORDS = 20_000;
const WORDS_PER_MEMORY = 24;
const WORDS_PER_QUESTION = 6;
const SYLLABLES = 'ba de fi go hu ka le mi no pu ra se ti vo zu chi lan mer tos wen'.split(' ');

/** Mulberry32 (T. Ettinger, public domain): 32 bits of state, good enough for made-up text. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface MadeUpMemories {
  readonly memories: readonly string[];
  /** Each consists of words of one memory, including frequent ones. */
  questionOf(at: number): string;
}

export function madeUpMemories(count: number, seed: number): MadeUpMemories {
  const random = seeded(seed);
  const memories = Array.from({ length: count }, () =>
    Array.from({ length: WORDS_PER_MEMORY }, () => wordOf(random)).join(' '),
  );
  return {
    memories,
    questionOf(at) {
      const chance = seeded(seed + 1 + at);
      const words = (memories[Math.floor(chance() * count)] ?? '').split(' ');
      const picked = Array.from(
        { length: WORDS_PER_QUESTION },
        () => words[Math.floor(chance() * words.length)] ?? '',
      );
      return `what about ${picked.join(' ')}`;
    },
  };
}

/** Returns a word in syllables; its random rank n has a frequency of about 1/n. */
function wordOf(random: () => number): string {
  let rank = Math.floor(WORDS ** random());
  let word = '';
  do {
    word += SYLLABLES[rank % SYLLABLES.length] ?? '';
    rank = Math.floor(rank / SYLLABLES.length);
  } while (rank > 0);
  return word.length < 3 ? `${word}n` : word;
}

/**
 * Terms for the keyword leg of a search. Words are stemmed by Porter's Snowball stemmer for
 * English; words of other languages are compared as they are written, marks and case apart.
 */
import type { TextAnalyzer } from '#core/ports/text-analyzer.ts';
import { ownCopy } from '#core/storable-text.ts';
import { stem } from '#core/text/stem.ts';
import { STOP_WORDS } from '#core/text/stop-words.ts';
import { type Word, wordsOf } from '#core/text/words.ts';

/** Changes with anything that changes a term: words, stems, stop words, folding. */
const REVISION = 'terms-1';

/** A longer term is noise, such as an encoded picture; what it begins with still finds it. */
const TERM_UNITS_MAX = 64;

/** What English hangs on a word with an apostrophe: "Anna's" is about Anna. */
const CONTRACTION = /['’](?:s|t|d|m|ll|re|ve)(?![\p{L}\p{N}])/giu;

/** Accents of Latin, Greek and Cyrillic letters, Hebrew points, Arabic vowel signs and tatweel. */
const MARKS = /[\u0300-\u036f]|[\u0591-\u05c7]|\u0640|[\u064b-\u0652]|\u0670/gu;

const HAN = /\p{Script=Han}/u;
const HANGUL_WORD = /^\p{Script=Hangul}{3,}$/u;

/**
 * Words whose terms are kept by one analyzer, for as long as it lives; the key is the word, whose
 * term never changes. A full cache is cleared, which costs less than keeping an order.
 */
const WORDS_KEPT_MAX = 20_000;

export function createTextAnalyzer(): TextAnalyzer {
  const termOf = createTermOf();
  return {
    revision: REVISION,
    terms(text) {
      const words = wordsOf(text.replaceAll(CONTRACTION, ''));
      const telling = words.filter((word) => !STOP_WORDS.has(word.text));
      // A text of nothing but such words, as "not now", is found by them.
      const terms = (telling.length === 0 ? words : telling).map(({ text: word }) => termOf(word));
      const parts = [...singleCharacters(words), ...hangulPairs(words)];
      return [...terms, ...parts].filter((term) => term !== '');
    },
  };
}

function createTermOf(): (word: string) => string {
  const kept = new Map<string, string>();
  return (given) => {
    const known = kept.get(given);
    if (known !== undefined) return known;
    // Both key and term would else keep the text that the word was cut from.
    const word = ownCopy(given);
    const folded = word.normalize('NFD').replaceAll(MARKS, '').normalize('NFC');
    const term = stem(folded.slice(0, TERM_UNITS_MAX).toWellFormed());
    if (kept.size >= WORDS_KEPT_MAX) kept.clear();
    if (word.length <= TERM_UNITS_MAX) kept.set(word, term);
    return term;
  };
}

/** Korean hangs its particles on the word, so that its parts are compared as well. */
function hangulPairs(words: readonly Word[]): readonly string[] {
  return words.flatMap(({ kind, text }) => {
    if (kind !== 'word' || !HANGUL_WORD.test(text)) return [];
    const syllables = Array.from(text.slice(0, TERM_UNITS_MAX));
    return syllables.slice(1).map((syllable, at) => `${syllables[at] ?? ''}${syllable}`);
  });
}

/** Each single Chinese character too: one is often a word, and a question may consist of it. */
function singleCharacters(words: readonly Word[]): readonly string[] {
  const singles: string[] = [];
  let last = '';
  for (const { kind, text } of words) {
    const characters = kind === 'pair' ? Array.from(text) : [];
    // A pair begins with the character that the pair before it ended with.
    for (const character of characters.slice(characters[0] === last ? 1 : 0)) {
      if (characters.length > 1 && HAN.test(character)) singles.push(character);
    }
    last = characters.at(-1) ?? '';
  }
  return singles;
}

/**
 * Terms for the keyword leg of a search. Words are stemmed by Porter's Snowball stemmer for
 * English; words of other languages are compared as written, ignoring diacritics and case.
 */
import { HAN } from '#core/text/language.ts';
import type { TextAnalyzer } from '#core/ports/text-analyzer.ts';
import { ownCopy } from '#core/storable-text.ts';
import { memoized } from '#core/text/memoized.ts';
import { stem } from '#core/text/stem.ts';
import { STOP_WORDS } from '#core/text/stop-words.ts';
import { type Word, wordsOf } from '#core/text/words.ts';

/** Change this whenever a term changes: words, stems, stop words, folding. */
const REVISION = 'terms-2';

/** Longer terms are noise, such as an encoded picture; they are found by their beginning. */
const TERM_UNITS_MAX = 64;

/** English suffixes after an apostrophe: "Anna's" is about Anna. */
const CONTRACTION = /['’](?:s|t|d|m|ll|re|ve)(?![\p{L}\p{N}])/giu;

/** Accents of Latin, Greek and Cyrillic letters, Hebrew points, Arabic vowel signs and tatweel. */
const MARKS = /[\u0300-\u036f]|[\u0591-\u05c7]|\u0640|[\u064b-\u0652]|\u0670/gu;

const HANGUL_WORD = /^\p{Script=Hangul}{3,}$/u;

/** Words whose terms one analyzer keeps. */
const WORDS_KEPT = { entriesMax: 20_000, unitsMax: TERM_UNITS_MAX };

/** `like` as a verb behind its subject: "I don't like tea", "Does Dana like tea?". */
const LIKE_AS_VERB = new RegExp(
  String.raw`(?<=(?<!would )\b(?:i|you|we|they)(?: (?:(?:do|did)(?: not|n['’]?t)|really|also|` +
    String.raw`do|still|always|all|both))? |\b(?:does|did)(?:n['’]?t)?(?: \p{L}+){1,2} )like` +
    String.raw`(?![\p{L}\p{N}'’-])`,
  'giu',
);

export function createTextAnalyzer(): TextAnalyzer {
  const termOf = memoized(termOfWord, WORDS_KEPT);
  return {
    revision: REVISION,
    terms(text) {
      const words = wordsOf(withVerbs(text).replaceAll(CONTRACTION, ''));
      const telling = words.filter((word) => !STOP_WORDS.has(word.text));
      // A text of stop words alone, such as "not now", is found by them.
      const terms = (telling.length === 0 ? words : telling).map(({ text: word }) => termOf(word));
      const parts = [...singleCharacters(words), ...hangulPairs(words)];
      return [...terms, ...parts].filter((term) => term !== '');
    },
  };
}

/** Returns a text in which no verb is spelled like a function word. */
function withVerbs(text: string): string {
  return text.includes(' like') ? text.replaceAll(LIKE_AS_VERB, 'likes') : text;
}

function termOfWord(word: string): string {
  const folded = word.normalize('NFD').replaceAll(MARKS, '').normalize('NFC');
  // A copy; otherwise the term of a long word would keep the whole text in memory.
  return stem(ownCopy(folded.slice(0, TERM_UNITS_MAX)).toWellFormed());
}

/** Korean appends particles to a word, so pairs of its syllables are terms too. */
function hangulPairs(words: readonly Word[]): readonly string[] {
  return words.flatMap(({ kind, text }) => {
    if (kind !== 'word' || !HANGUL_WORD.test(text)) return [];
    const syllables = Array.from(text.slice(0, TERM_UNITS_MAX));
    return syllables.slice(1).map((syllable, at) => `${syllables[at] ?? ''}${syllable}`);
  });
}

/** Single Chinese characters are terms too: one is often a word, or a whole question. */
function singleCharacters(words: readonly Word[]): readonly string[] {
  const singles: string[] = [];
  let last = '';
  for (const { kind, text } of words) {
    const characters = kind === 'pair' ? Array.from(text) : [];
    // A pair starts with the last character of the previous pair.
    for (const character of characters.slice(characters[0] === last ? 1 : 0)) {
      if (characters.length > 1 && HAN.test(character)) singles.push(character);
    }
    last = characters.at(-1) ?? '';
  }
  return singles;
}

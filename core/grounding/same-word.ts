/** Whether two words are forms of one: stems, derivations, compounds and short forms. */
import type { Language } from '../text/language.ts';
import type { Word } from './passage.ts';

export interface WordForm {
  readonly word: Word;
  readonly language: Language;
}

/** Letters that two stems have in common at least, and their share of the shorter one. */
const COMMON_MIN = 4;
const COMMON_SHARE_MIN = 0.8;
/** A root up to this length has to be the same as a whole. */
const SHORT_ROOT = 5;
/** Endings that make another word of a stem, as `ation` does; longer ones are compounds. */
const ENDING_MAX = 5;
/** Endings that turn a word into its opposite. */
const OPPOSITE = /(?:less|los|lose|losen|loser|loses)$/u;

export function isSameWord(word: Word, told: Word, language: Language): boolean {
  if (word.lower === told.lower || word.key === told.key) return true;
  if (language === 'zh') return false;
  // Names differ by a letter and are other names: Amira and Amara, Martin and Martina.
  if (word.isName || told.isName) return isNameForm(word, told);
  if (OPPOSITE.test(word.lower) !== OPPOSITE.test(told.lower)) return false;
  if (isCommonRoot(word.key, told.key)) return true;
  if (isShort(told, word) || isShort(word, told)) return true;
  return language === 'de' && isPartOf(word.lower, told.lower);
}

function isNameForm(word: Word, told: Word): boolean {
  if (isShort(told, word)) return true;
  // `Portuguese` and `Portugal` are forms, `Lind` and `Lund` are not.
  return !(word.isName && told.isName) && isCommonRoot(word.key, told.key);
}

function isCommonRoot(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  const root = short.replace(/[eiy]$/u, '');
  let common = 0;
  while (common < root.length && root[common] === long[common]) common += 1;
  if (common < COMMON_MIN) return false;
  if (common < (root.length <= SHORT_ROOT ? root.length : root.length * COMMON_SHARE_MIN)) {
    return false;
  }
  return Math.max(one.length, other.length) - common <= ENDING_MAX;
}

/** `appt` for appointment, `mtg` for meeting: no vowel, or the first letters of it. */
function isShort(short: Word, long: Word): boolean {
  const text = short.lower;
  if (text.length < 2 || text.length > 5 || long.lower.length < text.length + 2) return false;
  if (text[0] !== long.lower[0]) return false;
  if (/[aeiouäöüáéíóú]/u.test(text.slice(1)) && !long.lower.startsWith(text)) return false;
  if (long.lower.startsWith(text) && text.length < 3) return false;
  let at = -1;
  return Array.from(text).every((letter) => (at = long.lower.indexOf(letter, at + 1)) >= 0);
}

/** The head or the beginning of a compound: `Werkstatt` of `Fahrradwerkstatt`. */
function isPartOf(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length >= COMMON_MIN && (long.endsWith(short) || long.startsWith(short));
}

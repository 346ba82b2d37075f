/**
 * Finds which sentences of the sources have the words of a claim, and which words none has.
 */
import type { Language } from '../text/language.ts';
import { LEXICONS } from './lexicon/lexicon-by-language.ts';
import { TURN_SIGNS, type Sentence, type Word } from './parsed-sentence.ts';
import { roleWord } from './speaker.ts';

/** By word of a claim: the words of one sentence that match it. */
export type Matches = ReadonlyMap<Word, readonly Word[]>;

/** A word of a claim, and the one word of a sentence that matches it. */
export type Pair = readonly [own: Word, other: Word];

/** A word to compare with others: stems, derivations, compounds and short forms match. */
interface WordForm {
  readonly word: Word;
  readonly language: Language;
}

/** Minimum letters that two stems have in common, and their share of the shorter stem. */
const COMMON_MIN = 4;
const COMMON_SHARE_MIN = 0.8;
/** Roots up to this length must be equal. */
const SHORT_ROOT = 5;
/** Maximum length of an ending such as `ation`; a longer one makes a compound. */
const ENDING_MAX = 5;
/** Endings that turn a word into its opposite. */
const OPPOSITE = /(?:less|los|lose|losen|loser|loses)$/u;

function isSameWord(word: Word, stated: Word, language: Language): boolean {
  if (word.lower === stated.lower || word.key === stated.key) return true;
  if (word.lines.some((line) => stated.lines.includes(line))) return true;
  if (language === 'zh') return false;
  // Names that differ in one letter are different: Amira and Amara, Martin and Martina.
  if (word.isName || stated.isName) return isNameForm(word, stated);
  if (OPPOSITE.test(word.lower) !== OPPOSITE.test(stated.lower)) return false;
  if (isDenied(word.lower, stated.lower) || isDenied(stated.lower, word.lower)) return false;
  if (isCommonRoot(word.key, stated.key) || isCommonRoot(word.stem, stated.stem)) return true;
  if (isShort(stated, word) || isShort(word, stated)) return true;
  return language === 'de' && isPartOf(word.lower, stated.lower);
}

/** Whether one word negates the other by a prefix: `unbezahlt` and `bezahlt`. */
function isDenied(one: string, other: string): boolean {
  return /^(?:un|in|im|ir|dis|des|non)$/u.test(one.slice(0, -other.length)) && one.endsWith(other);
}

function isNameForm(word: Word, stated: Word): boolean {
  if (isShort(stated, word)) return true;
  // `Portuguese` and `Portugal` are forms of one word; `Lind` and `Lund` are not.
  return !(word.isName && stated.isName) && isCommonRoot(word.key, stated.key);
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

/** Whether a word is short for another: without vowels (`mtg`), or its first letters (`appt`). */
function isShort(short: Word, long: Word): boolean {
  const text = short.lower;
  if (text.length < 2 || text.length > 5 || long.lower.length < text.length + 2) return false;
  if (text[0] !== long.lower[0]) return false;
  if (/[aeiouäöüáéíóú]/u.test(text.slice(1)) && !long.lower.startsWith(text)) return false;
  if (long.lower.startsWith(text) && text.length < 3) return false;
  let at = -1;
  return Array.from(text).every((letter) => (at = long.lower.indexOf(letter, at + 1)) >= 0);
}

/** Whether one word is the end or beginning of a compound: `Werkstatt` of `Fahrradwerkstatt`. */
function isPartOf(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length >= COMMON_MIN && (long.endsWith(short) || long.startsWith(short));
}

/** A sentence of a source, with its speaker. */
export interface SentencePlace {
  readonly sourceId: string;
  readonly sentence: Sentence;
  /** Words of the speaker's name, in lower case; empty for a memory. */
  readonly speaker: readonly string[];
}

/** A sentence that a claim rests on. */
export interface CoveredPlace extends SentencePlace {
  /** The words of the claim that the sentence has, each with its matching words. */
  readonly matches: Matches;
}

export interface Cover {
  /** The sentences that the claim rests on, the one with most of its words first. */
  readonly places: readonly CoveredPlace[];
  /** Words of the claim that only the name of a speaker covers. */
  readonly bySpeaker: ReadonlySet<Word>;
  readonly unknown: readonly Word[];
  /** Share of the content words of the claim that are covered; 1 if it has none. */
  readonly share: number;
}

/** Maximum sentences that a claim may rest on: more are no single statement. */
const PLACES_MAX = 4;

/**
 * Finds few sentences that have the content words of a claim, by choosing the best one by one.
 * @param preferred sentences of the quote, which count more if they have any word of the claim
 */
export function coverOf(
  claim: Sentence,
  places: readonly SentencePlace[],
  { preferred, language }: { preferred: ReadonlySet<SentencePlace>; language: Language },
): Cover {
  const content = claim.words.filter(({ kind }) => kind === 'Content');
  const found = places.map((place) => matchesIn(content, claim, place, language));
  const values = claim.words.filter(({ kind }) => kind === 'Value');
  const bySpeaker = new Set<Word>();
  const open = new Set(content);
  const chosen: number[] = [];
  while (chosen.length < PLACES_MAX && open.size > 0) {
    let best = -1;
    let gained = 0;
    for (const [at, { words }] of found.entries()) {
      if (chosen.includes(at)) continue;
      const place = places[at];
      const own = [...words.keys()].filter((word) => open.has(word)).length;
      const isPreferred = place !== undefined && preferred.has(place);
      const isFirst = chosen.length === 0;
      const held = isFirst && place !== undefined ? heldValues(values, place) : 0;
      const gain = own === 0 ? 0 : own + held + (isPreferred && isFirst ? PREFERENCE : 0);
      if (gain > gained) {
        best = at;
        gained = gain;
      }
    }
    if (best < 0) break;
    chosen.push(best);
    for (const word of found[best]?.words.keys() ?? []) open.delete(word);
  }
  if (chosen.length === 0 && places.length > 0) {
    const first = places.findIndex((place) => preferred.has(place));
    chosen.push(Math.max(0, first));
  }
  for (const word of open) {
    if (found.some(({ named }) => named.has(word))) bySpeaker.add(word);
  }
  const { saying } = LEXICONS[language];
  const isSaid = (word: Word): boolean => bySpeaker.size > 0 && saying.has(word.lower);
  const unknown = [...open].filter((word) => !bySpeaker.has(word) && !isSaid(word));
  return {
    places: chosen.flatMap((at) => {
      const place = places[at];
      return place === undefined ? [] : { ...place, matches: found[at]?.words ?? new Map() };
    }),
    bySpeaker,
    unknown,
    share: content.length === 0 ? 1 : 1 - unknown.length / content.length,
  };
}

/** Counts the claim's numbers in a sentence, to decide between sentences with the same words. */
function heldValues(values: readonly Word[], { sentence }: SentencePlace): number {
  return values.filter(({ lower }) => sentence.words.some((word) => word.lower === lower)).length;
}

/** A sentence of the quote counts as if it had this many more words. */
const PREFERENCE = 2;

interface Found {
  readonly words: ReadonlyMap<Word, readonly Word[]>;
  readonly named: ReadonlySet<Word>;
}

function matchesIn(
  content: readonly Word[],
  claim: Sentence,
  { sentence, speaker }: SentencePlace,
  language: Language,
): Found {
  const words = new Map<Word, readonly Word[]>();
  const named = new Set<Word>();
  for (const word of content) {
    const form = { word, language };
    const forms = sentence.words.filter((stated) => isMatch(form, stated));
    const exact = forms.filter((stated) => stated.lower === word.lower || stated.key === word.key);
    const same = exact.length > 0 ? exact : forms;
    const role = roleWord(word.lower);
    if (same.length > 0) words.set(word, same);
    else if (role !== undefined && isRoleOf(role, sentence, speaker)) named.add(word);
    else if (isHeld(word, sentence, language)) words.set(word, holders(word, sentence, language));
    else if (speaker.includes(word.lower) || isGenitive(word.lower, speaker)) named.add(word);
    else if (language === 'zh' && speaker.some((name) => name.includes(word.lower)))
      named.add(word);
  }
  for (const word of spelledOut(claim, sentence, language))
    if (!words.has(word)) words.set(word, []);
  return { words, named };
}

/** Whether a role may be the speaker, or the user to whom the assistant speaks. */
function isRoleOf(role: string, { tokens }: Sentence, speaker: readonly string[]): boolean {
  if (speaker.length === 0 || speaker.includes(role)) return true;
  return (
    role === 'user' &&
    speaker.includes('assistant') &&
    tokens.some(({ lower }) => /^your?(?:'|$)/u.test(lower))
  );
}

/** Whether a word is the speaker's name in the genitive: `Rashids Bruder`. */
function isGenitive(lower: string, speaker: readonly string[]): boolean {
  return lower.endsWith('s') && speaker.includes(lower.slice(0, -1));
}

function isMatch({ word, language }: WordForm, stated: Word): boolean {
  // Verbs with particles match their one-word forms: `ruft … an` and `anrufen`.
  if (word.whole === stated.whole && (word.whole !== word.stem || stated.whole !== stated.stem)) {
    return true;
  }
  if (stated.kind === 'Free') return stated.key === word.key;
  return isSameWord(word, stated, language);
}

/** Whether a sentence has a word in parts: Chinese and compounds can be split differently. */
function isHeld(word: Word, sentence: Sentence, language: Language): boolean {
  if (language === 'zh') {
    if (!/^\p{Script=Han}+$/u.test(word.lower)) return sentence.lower.includes(word.lower);
    // Each character with a meaning must be there: 购票 for 购买门票.
    const telling = Array.from(word.lower).filter(
      (sign) => !LEXICONS.zh.free.has(sign) && !TURN_SIGNS.has(sign),
    );
    return telling.length > 0 && telling.every((sign) => sentence.lower.includes(sign));
  }
  return language === 'de' && isCompoundOf(word.lower, sentence);
}

/** Returns the words of a Chinese sentence that have the first meaningful character of a word. */
function holders({ lower }: Word, { words }: Sentence, language: Language): readonly Word[] {
  if (language !== 'zh') return [];
  const first = Array.from(lower).find((sign) => !LEXICONS.zh.free.has(sign)) ?? lower;
  return words.filter((stated) => stated.lower.includes(first));
}

const PART_CHARS_MIN = 4;

/** Whether a sentence has the parts of a compound: `Tests` and `Umgebung` of `Testumgebung`. */
function isCompoundOf(lower: string, { words }: Sentence): boolean {
  if (lower.length < 2 * PART_CHARS_MIN) return false;
  const keys = words.flatMap(({ key, kind }) =>
    kind !== 'Free' && key.length >= PART_CHARS_MIN - 1 ? key : [],
  );
  const folded = lower.replaceAll('ä', 'a').replaceAll('ö', 'o').replaceAll('ü', 'u');
  const head = keys.find((key) => folded.startsWith(key));
  if (head === undefined) return false;
  return keys.some((key) => key !== head && folded.slice(head.length - 1).includes(key));
}

/** Minimum and maximum letters of an abbreviation. */
const INITIALS_MIN = 2;
const INITIALS_MAX = 5;

/** Returns words of the claim that the sentence abbreviates: `World Health Organization`, `WHO`. */
function spelledOut(claim: Sentence, sentence: Sentence, language: Language): readonly Word[] {
  if (language === 'zh') return spelledOutHan(claim, sentence);
  const short = new Set(
    sentence.words.flatMap(({ text, lower }) =>
      /^\p{Lu}{2,5}s?$/u.test(text) ? lower.replace(/s$/u, '') : [],
    ),
  );
  if (short.size === 0) return [];
  const { words } = claim;
  for (let from = 0; from < words.length; from += 1) {
    let initials = '';
    for (let to = from; to < words.length && initials.length < INITIALS_MAX; to += 1) {
      const word = words[to];
      if (word?.kind !== 'Content') continue;
      initials += word.lower.slice(0, 1);
      if (initials.length >= INITIALS_MIN && short.has(initials)) {
        return words.slice(from, to + 1).filter(({ kind }) => kind === 'Content');
      }
    }
  }
  return [];
}

/** Returns words of the claim that the sentence abbreviates: `北京大学` as `北大`. */
function spelledOutHan(claim: Sentence, { lower }: Sentence): readonly Word[] {
  const words = claim.words.filter(
    ({ kind, lower: own }) => kind === 'Content' && own.length >= INITIALS_MIN,
  );
  return words.flatMap((word, at) => {
    const next = words[at + 1];
    if (next === undefined || !lower.includes(`${word.lower[0] ?? ''}${next.lower[0] ?? ''}`)) {
      return [];
    }
    const third = words[at + 2];
    return third?.at === next.at + 1 ? [word, next, third] : [word, next];
  });
}

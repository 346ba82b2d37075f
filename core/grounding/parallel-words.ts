/**
 * Finds parallel words, which say the same kind of thing in two parts of a sentence, such as the
 * numbers and groups of `90 days for staff and 30 for admins`.
 */
import { ANY_MONTH, ANY_WEEKDAY } from '../text/calendar-words.ts';
import type { Language } from '../text/language.ts';
import { isKin } from '../text/people-words.ts';
import { wordSet } from '../text/word-lists.ts';
import { SURNAMES } from '../text/chinese-surnames.ts';
import { LEXICONS } from './lexicon/lexicon-by-language.ts';
import { ARTICLES } from './function-words.ts';
import type { Sentence, Word } from './parsed-sentence.ts';
import { isFirstPerson, isPossessive, isThing } from './pronouns-and-nouns.ts';
import { COORDINATORS, CONTRASTS, OPENERS, type Part } from './sentence-parts.ts';

/** A word, and one that stands for the same kind of thing in another part. */
export type ParallelWords = readonly [word: Word, parallel: Word];

/** The sentence whose parts are compared. */
export interface Read {
  readonly sentence: Sentence;
  readonly language: Language;
}

/** Returns pairs of words that say the same kind of thing in two parts: two numbers, two places. */
export function parallelWordsOf(
  one: Part,
  other: Part,
  { sentence, language }: Read,
): readonly ParallelWords[] {
  const taken = new Set<Word>();
  return one.words.flatMap((word): ParallelWords[] => {
    const parallel = other.words.find(
      (each) => !taken.has(each) && isParallel(word, each, { sentence, language }),
    );
    if (parallel === undefined) return [];
    taken.add(parallel);
    return [[word, parallel]];
  });
}

/** Parts of the day, which only the sources of German, Spanish and Chinese name by one word. */
const DAY_PARTS =
  wordSet(`morning afternoon evening night morgens vormittags mittags nachmittags abends nachts
    früh mañana tarde noche 早上 上午 中午 下午 晚上 夜里 早晨`);

function isParallel(word: Word, other: Word, { sentence, language }: Read): boolean {
  const kinds = [word, other].map(({ kind }) => (kind === 'Free' ? 'Content' : kind));
  if (kinds[0] !== kinds[1] || word.lower === other.lower || word.key === other.key) return false;
  if (DAY_PARTS.has(word.lower) && DAY_PARTS.has(other.lower)) return true;
  if (word.kind === 'Modifier') return isOpposite(word, other, language);
  const { tokens } = sentence;
  const before = placeBefore(tokens, word.at);
  const behind = tokens[word.at + 1];
  const isBehind =
    language === 'zh' && behind?.glued === true && behind.lower === tokens[other.at + 1]?.lower;
  const isBeside = isBehind || (before !== '' && before === placeBefore(tokens, other.at));
  if (word.kind === 'Value') {
    const isNumber = /\d/u.test(word.lower);
    if (isNumber !== /\d/u.test(other.lower)) return false;
    if (!isNumber) return isDayName(word) && isDayName(other);
    const isSame = behind?.kind === 'Word' && behind.lower === tokens[other.at + 1]?.lower;
    return isBeside || isSame;
  }
  return isBeside;
}

const DAY_NAME = new RegExp(`^(?:${ANY_WEEKDAY}|${ANY_MONTH}s?)$`, 'iu');

function isDayName({ lower }: Word): boolean {
  return DAY_NAME.test(lower);
}

function isOpposite(word: Word, other: Word, language: Language): boolean {
  const { modifiers } = LEXICONS[language];
  const kinds = [modifiers.get(word.lower), modifiers.get(other.lower)].join(' ');
  return /^(?:down up|up down|less more|more less|after before|before after)$/u.test(kinds);
}

const PREPOSITIONS =
  wordSet(`in on at for with from to by of about into under over in im an am auf mit von vom aus bei
    nach zu zum zur für über unter um en a al de del con por para sobre desde hasta
    在 去 到 给 对`);

/** Returns the preposition, or the word of content, right before a word without its article. */
function placeBefore(tokens: Sentence['tokens'], at: number): string {
  const last = tokens[at - 1]?.lower ?? '';
  const before = ARTICLES.has(last) ? (tokens[at - 2]?.lower ?? '') : last;
  return PREPOSITIONS.has(before) || /^\p{L}{5,}$/u.test(before) ? before : '';
}

/** Returns the subjects that open two parts if they differ. */
export function openersOf(
  one: Part,
  other: Part,
  { sentence, language, isSet }: Read & { readonly isSet: boolean },
): ParallelWords | null {
  if (SUBORDINATE.has(other.opener) || isSaying(one, other, { sentence, language })) return null;
  const first = subjectOf(one, { sentence, language });
  const second = subjectOf(other, { sentence, language });
  if (first === null || second === null) return null;
  // `Primo` and `prima` have one key, but are two people.
  const isSame = isKin(first.lower, language)
    ? first.lower === second.lower
    : first.key === second.key;
  if (isSame) return null;
  if (isFirstPerson(first, language) && isFirstPerson(second, language)) return null;
  const isPerson = (word: Word): boolean =>
    isFirstPerson(word, language) || isKin(word.lower, language) || !/^\p{Ll}/u.test(word.text);
  return isSet || (isPerson(first) && isPerson(second)) ? [first, second] : null;
}

/** Words that open a part which says more about another one. */
export const SUBORDINATE =
  wordSet(`that which who whose where if because unless when until dass der die das
  weil wenn falls wo que quien donde si porque cuando`);

/** Whether the later part is what the earlier one says that somebody says. */
function isSaying(one: Part, other: Part, { sentence, language }: Read): boolean {
  const { tokens, words } = sentence;
  const end = words.findLast(({ at }) => at < other.from)?.lower ?? '';
  return (
    other.at === one.at + 1 &&
    (LEXICONS[language].saying.has(end) || tokens[other.from - 1]?.text === ':')
  );
}

/** Returns the person or thing that opens a part. */
export function subjectOf(part: Part, { sentence, language }: Read): Word | null {
  const { words, from } = part;
  const [opener, next] = words;
  if (opener === undefined || DAY_PARTS.has(opener.lower)) return null;
  // In apposition, as in `Lúcia, his sister`, it is no subject.
  if (next === undefined && part.at > 0 && !COORDINATORS.has(part.opener)) return null;
  const before = sentence.tokens.slice(from, opener.at);
  const isFirst = before.every(
    ({ lower, kind }) =>
      kind === 'Mark' ||
      ARTICLES.has(lower) ||
      isPossessive(lower) ||
      CONTRASTS.has(lower) ||
      COORDINATORS.has(lower) ||
      OPENERS[language].has(lower) ||
      /^(?:while|während|mientras|then|also|dann|auch)$/u.test(lower),
  );
  if (!isFirst) return null;
  if (isFirstPerson(opener, language)) return opener;
  if (opener.kind === 'Value' || opener.kind === 'Modifier') return null;
  if (isKin(opener.lower, language)) return opener;
  if (language === 'zh') return next !== undefined && isNameHan(opener.lower) ? opener : null;
  return isThing(opener, sentence, language) ? opener : null;
}

const KNOWN_SURNAMES = new Set(SURNAMES);

/** Whether a Chinese word may be a name: `李娜`, `小刘`. */
function isNameHan(lower: string): boolean {
  return KNOWN_SURNAMES.has(lower.slice(0, 1)) || /^[小老阿]/u.test(lower);
}

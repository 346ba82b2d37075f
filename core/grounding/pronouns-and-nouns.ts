/** Tells first persons, their possessives and things apart among the words of a sentence. */
import type { Language } from '../text/language.ts';
import { LEXICONS } from './lexicon/lexicon-by-language.ts';
import type { Sentence, Word } from './parsed-sentence.ts';

/** Whether a word is a first-person possessive: `my brother` is another person. */
export function isPossessive(lower: string): boolean {
  return /^(?:my|our|mein|unser|mis?$|nuestr)/u.test(lower);
}

/** Whether a word is a first person, such as `I`, `I'm` or `my`. */
export function isFirst({ lower, text }: Word, language: Language): boolean {
  const { first } = LEXICONS[language];
  return first.has(lower) || first.has(text.toLowerCase());
}

/** As `isFirst`, but no `my`. */
export function isFirstPerson(word: Word, language: Language): boolean {
  return isFirst(word, language) && !isPossessive(word.lower);
}

const BEFORE_THING: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: new Set('a an the my your his her its our their'.split(' ')),
  de: new Set(),
  es: new Set('el la los las un una su sus mi mis al del'.split(' ')),
  zh: new Set(),
};

/** Whether a word is a name or a noun; an owner, as in `Ben's`, counts as neither. */
export function isThing(word: Word, { tokens }: Sentence, language: Language): boolean {
  if (language === 'zh') return true;
  const { lower = '' } = tokens[word.at] ?? {};
  // A possession may come before or after its owner, so the owner's place shows no role.
  if (lower.endsWith("'s")) return false;
  if (language === 'de') return /^\p{Lu}/u.test(word.text);
  const before = tokens[word.at - 1]?.lower ?? '';
  return word.isName || /^\p{Lu}/u.test(word.text) || BEFORE_THING[language].has(before);
}

/** The lexicon of each language. */
import type { Language } from '../language.ts';
import { CHINESE } from './chinese.ts';
import { ENGLISH } from './english.ts';
import { GERMAN } from './german.ts';
import type { Lexicon } from './lexicon.ts';
import { SPANISH } from './spanish.ts';

export const LEXICONS: Readonly<Record<Language, Lexicon>> = {
  en: ENGLISH,
  de: GERMAN,
  es: SPANISH,
  zh: CHINESE,
};

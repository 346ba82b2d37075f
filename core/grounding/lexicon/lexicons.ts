/** The lexicon of each language. */
import type { Language } from '../../text/language.ts';
import { CHINESE } from './zh.ts';
import { ENGLISH } from './en.ts';
import { GERMAN } from './de.ts';
import type { Lexicon } from './lexicon.ts';
import { SPANISH } from './es.ts';

export const LEXICONS: Readonly<Record<Language, Lexicon>> = {
  en: ENGLISH,
  de: GERMAN,
  es: SPANISH,
  zh: CHINESE,
};

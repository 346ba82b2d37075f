/** The lexicon of each language, made on its first use: making all of them takes 0.1 s. */
import { once } from '../../once.ts';
import type { Language } from '../../text/language.ts';
import { CHINESE } from './zh.ts';
import { ENGLISH } from './en.ts';
import { GERMAN } from './de.ts';
import { lexiconOf, type Lexicon } from './lexicon.ts';
import { SPANISH } from './es.ts';

const MADE = {
  en: once(() => lexiconOf(ENGLISH)),
  de: once(() => lexiconOf(GERMAN)),
  es: once(() => lexiconOf(SPANISH)),
  zh: once(() => lexiconOf(CHINESE)),
};

export const LEXICONS: Readonly<Record<Language, Lexicon>> = {
  get en() {
    return MADE.en();
  },
  get de() {
    return MADE.de();
  },
  get es() {
    return MADE.es();
  },
  get zh() {
    return MADE.zh();
  },
};

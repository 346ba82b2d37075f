/** Which patterns of the rules of extraction a text may match: few of them, in most texts none. */
import { prefilter } from '../text/prefilter.ts';
import type { ChangeBook } from './change-book.ts';
import type { RuleBook } from './rule.ts';
import { DE_CHANGES } from './changes/de.ts';
import { EN_CHANGES } from './changes/en.ts';
import { ES_CHANGES } from './changes/es.ts';
import { ZH_CHANGES } from './changes/zh.ts';
import { DE } from './rules/de.ts';
import { EN } from './rules/en.ts';
import { ES } from './rules/es.ts';
import { ZH } from './rules/zh.ts';
import type { Language } from '../text/language.ts';

export const RULE_BOOKS: Readonly<Record<Language, RuleBook>> = { en: EN, de: DE, es: ES, zh: ZH };

export const CHANGE_BOOKS: Readonly<Record<Language, ChangeBook>> = {
  en: EN_CHANGES,
  de: DE_CHANGES,
  es: ES_CHANGES,
  zh: ZH_CHANGES,
};

/** Of all books together, because a text is mostly tried in several languages. */
export const likelyPatterns = prefilter([
  ...Object.values(RULE_BOOKS).flatMap(({ rules }) => rules.map(({ pattern }) => pattern)),
  ...Object.values(CHANGE_BOOKS).flatMap(({ gone, set, states }) => [
    ...gone.map(({ pattern }) => pattern),
    ...set,
    ...states.map(({ newer }) => newer),
  ]),
]);

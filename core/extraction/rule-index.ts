/** All rules of extraction, and an index of those that a text may match: for most texts none. */
import { oncePer } from '../once.ts';
import { prefilter } from '../text/prefilter.ts';
import type { Pattern } from '../text/pattern.ts';
import type { CorrectionBook } from './correction-book.ts';
import type { RuleBook } from './rule.ts';
import { DE_CORRECTIONS } from './corrections/de.ts';
import { EN_CORRECTIONS } from './corrections/en.ts';
import { ES_CORRECTIONS } from './corrections/es.ts';
import { ZH_CORRECTIONS } from './corrections/zh.ts';
import { DE } from './rules/de.ts';
import { EN } from './rules/en.ts';
import { ES } from './rules/es.ts';
import { JOB_AND_HOME_CHANGES } from './rules/job-and-home-changes.ts';
import { MOVED_DATES } from './rules/moved-dates.ts';
import { PEOPLE } from './rules/people.ts';
import { TAKEN_BACK } from './rules/changes-taken-back.ts';
import { TASKS_AND_GOALS } from './rules/tasks-and-goals.ts';
import { ZH } from './rules/zh.ts';
import type { Language } from '../text/language.ts';

export const RULE_BOOKS: Readonly<Record<Language, RuleBook>> = {
  en: withMore(EN, 'en'),
  de: withMore(DE, 'de'),
  es: withMore(ES, 'es'),
  zh: withMore(ZH, 'zh'),
};

function withMore(book: RuleBook, language: Language): RuleBook {
  const more = [TAKEN_BACK, JOB_AND_HOME_CHANGES, MOVED_DATES, PEOPLE, TASKS_AND_GOALS];
  return { ...book, rules: [...book.rules, ...more.flatMap((each) => each[language])] };
}

export const CORRECTION_BOOKS: Readonly<Record<Language, CorrectionBook>> = {
  en: EN_CORRECTIONS,
  de: DE_CORRECTIONS,
  es: ES_CORRECTIONS,
  zh: ZH_CORRECTIONS,
};

/** The rules of one language that a text may match, in the order of the books. */
type LikelyRules = Pick<RuleBook, 'rules'> & Pick<CorrectionBook, 'gone' | 'set' | 'states'>;

const NONE: LikelyRules = { rules: [], gone: [], set: [], states: [] };
const LANGUAGES = ['en', 'de', 'es', 'zh'] as const;

/** By pattern: the rules that it belongs to. */
const BY_PATTERN: ReadonlyMap<Pattern, LikelyRules & { readonly language: Language }> = new Map(
  LANGUAGES.flatMap((language) => {
    const { gone, set, states } = CORRECTION_BOOKS[language];
    return [
      ...RULE_BOOKS[language].rules.map((rule) => ({ pattern: rule.pattern, rules: [rule] })),
      ...gone.map((rule) => ({ pattern: rule.pattern, gone: [rule] })),
      ...set.map((pattern) => ({ pattern, set: [pattern] })),
      ...states.map((rule) => ({ pattern: rule.newer, states: [rule] })),
    ].map(({ pattern, ...part }) => [pattern, { ...NONE, ...part, language }] as const);
  }),
);

/** The patterns of all books together, because most texts are tried in several languages. */
export const RULE_PATTERNS: readonly Pattern[] = [
  ...BY_PATTERN.keys(),
  ...LANGUAGES.map((language) => RULE_BOOKS[language].commissioned),
];
export const likelyPatterns = prefilter(RULE_PATTERNS);

/** Sorts a result of `likelyPatterns`; all texts in Chinese share one result. */
const byLanguage = oncePer((likely: ReadonlySet<Pattern>): ReadonlyMap<Language, LikelyRules> => {
  const parts = [...likely].flatMap((pattern) => BY_PATTERN.get(pattern) ?? []);
  const books = [...Map.groupBy(parts, ({ language }) => language)].map(([language, own]) => {
    const book = {
      rules: own.flatMap(({ rules }) => rules),
      gone: own.flatMap(({ gone }) => gone),
      set: own.flatMap(({ set }) => set),
      states: own.flatMap(({ states }) => states),
    };
    return [language, book] as const;
  });
  return new Map(books);
});

/** Returns the rules of a language that a text may match, in order; for most texts none. */
export function likelyRules(text: string, language: Language): LikelyRules {
  return byLanguage(likelyPatterns(text)).get(language) ?? NONE;
}

/** Reads what a text says that lasts, about whom, and what it says has changed. */
import { beforeQuestion } from './plain-statements.ts';
import { memoized } from '../text/memoized.ts';
import { once } from '../once.ts';
import { FIRST_PERSON } from '../text/speaks-of-self.ts';
import type { Language } from '../text/language.ts';
import { labeledLine } from '../text/speaker-label.ts';
import { isContentWord } from '../text/words.ts';
import { correctionsIn, readClauses, type Correction, type Clause } from './correction.ts';
import { inFirstPersonOf } from './into-first-person.ts';
import { partsOf, type TextParts } from './partial-ending.ts';
import {
  languagesOf,
  ownSentences,
  readStatement,
  statementsOf,
  type Statement,
} from './statement.ts';
import { isCommissioned, isPassing, isQuestionQuoteOrJoke } from './passing-remarks.ts';

/** What a text says that lasts, and about whom: the speaker or user if `of` is empty. */
interface Statements {
  readonly of: string;
  readonly statements: readonly Statement[];
}

export interface StatementsAndCorrections extends Statements {
  /** Its own words, without the name of its speaker. */
  readonly text: string;
  /** The speaker, if the text names one; else empty. */
  readonly speaker: string;
  /** Read on first use: few texts are compared with one that mentions a change. */
  readonly clauses: () => readonly Clause[];
  /** What it says in all; read on first use. */
  readonly parts: () => TextParts;
  readonly corrections: readonly Correction[];
}

/** What tools call the user; every rule book turns it into the first person. */
const USERS: Readonly<Record<Language, string>> = {
  en: 'The user',
  de: 'Der Nutzer',
  es: 'El usuario',
  zh: '用户',
};
const USER = /^(?:(?:the |der |die |el |la )?(?:user|nutzer|nutzerin|usuario|usuaria)\b|用户)/iu;
/** A name at the beginning of a statement. */
const NAMED = /^(?<name>\p{Lu}[\p{L}\p{M}-]+(?:\s\p{Lu}[\p{L}\p{M}-]+){0,2}?)(?:['’]s)?\s/u;
const NAMED_UNSPACED =
  /^(?<name>(?![我你您他她它咱])\p{Script=Han}{2,4}?)(?=现?在?住|对|不?喜欢|是|搬[到去])/u;

/** Whether a text is about its speaker or the user, who is a different person in each scope. */
export const isOfUser = memoized((text) => USER.test(text.trim()) || FIRST_PERSON.test(text), {
  entriesMax: 8_192,
  unitsMax: 1_024,
});

/** As `statementsOf`, but also for named people and `the user`, and with what has changed. */
export function statementsAndCorrectionsOf(content: string): StatementsAndCorrections {
  const text = content.trim();
  const spoken = labeledLine(text);
  const speaker = spoken?.speaker.toLowerCase() ?? '';
  const own = spoken?.said ?? text;
  const sentences = ownSentences(own);
  const languages = languagesOf(own);
  const [language = 'en'] = languages;
  const said =
    spoken === null
      ? statementsAbout(text, sentences, languages)
      : { of: speaker, statements: statementsOf(own) };
  const isOwn = !isCommissioned(own, [language]);
  return {
    ...said,
    text: own,
    speaker,
    clauses: once(() => readClauses(sentences, language)),
    parts: once(() => partsOf(sentences, language)),
    corrections: correctionsIn(
      isOwn ? sentences.flatMap((each) => beforeQuestion(each, language)) : [],
      isClear(own, language) ? [language] : languages,
    ),
  };
}

/** English words: a text that shows no language also counts as English. */
const ENGLISH = /\b(?:I|[Tt]he|[Mm]y|[Ww]e|[Oo]ur|and|of|to|is|have|been)\b/u;

/** Whether a text is clearly in a language, so that the rules of no other need to be tried. */
function isClear(text: string, language: Language): boolean {
  return language !== 'en' || ENGLISH.test(text);
}

function statementsAbout(
  text: string,
  sentences: readonly string[],
  languages: readonly Language[],
): Statements {
  const statements = statementsOf(text);
  if (statements.length > 0) return { of: '', statements };
  const of = USER.test(text) ? '' : nameAtStart(text);
  const isOne = of !== null && sentences.length <= 1;
  const statement = isOne ? inThirdPerson(text, of, languages) : null;
  return statement === null
    ? { of: '', statements: [] }
    : { of: (of ?? '').toLowerCase(), statements: [statement] };
}

function nameAtStart(text: string): string | null {
  const name = (NAMED.exec(text) ?? NAMED_UNSPACED.exec(text))?.groups?.['name'] ?? null;
  return name === null || !isContentWord(name.toLowerCase()) ? null : name;
}

/**
 * Reads one sentence about a person.
 * @param name at its beginning; empty if it begins with the user
 */
function inThirdPerson(
  text: string,
  name: string,
  languages: readonly Language[],
): Statement | null {
  if (isQuestionQuoteOrJoke(text)) return null;
  for (const language of languages) {
    // `The user` replaces the name, to avoid compiling a pattern for each name.
    const about = name === '' ? text : `${USERS[language]}${text.slice(name.length)}`;
    const said = inFirstPersonOf(language, about, []);
    if (said === about || isPassing(said, language)) continue;
    const statement = readStatement(said, language);
    if (statement !== null) return statement;
  }
  return null;
}

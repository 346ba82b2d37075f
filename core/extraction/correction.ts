/**
 * Finds corrections: sentences that end an older one in other words. `I sold the Toyota` ends `I
 * drive a Toyota`, although their statements share no topic.
 */
import type { Language } from '../text/language.ts';
import { cardinalOf } from '../text/number-word.ts';
import { nameDifferentPeople } from '../text/different-people.ts';
import { anyOf, anyWord, type Pattern } from '../text/pattern.ts';
import { namesHealthRisk } from '../text/health-risks.ts';
import { capitalized, isContentWord } from '../text/words.ts';
import type { CorrectionBook, GoneRule, StateRule } from './correction-book.ts';
import { CORRECTION_BOOKS as BOOKS, likelyRules } from './rule-index.ts';
import { withoutOnset } from './announced-day.ts';
import { beforeQuestion } from './plain-statements.ts';
import {
  CAPITALIZED,
  isFramed,
  isRecounted,
  kindsIn,
  kindsOf,
  kindsOfDay,
  type Kind,
} from './same-sentence-other-value.ts';
import { mayQuote } from './others-words/quotations.ts';
import { retractionIn, type Retraction } from './retraction.ts';
import {
  asWritten,
  clausesIn,
  knownStatement,
  STEMS,
  statementsOf,
  valueStems,
} from './statement.ts';
import { isPassing, isQuestionQuoteOrJoke, standingClauses } from './passing-remarks.ts';

const DETERMINERS = Object.values(BOOKS).map(({ determiner }) => determiner);

/** What corrections need of a sentence, or of a clause of one. */
export interface Clause {
  readonly text: string;
  /** In lower case; each Chinese character is a token. */
  readonly tokens: readonly string[];
  /** The tokens without an article or owner at the beginning. */
  readonly rest: readonly string[];
}

/** What a newer sentence ends. */
export interface Correction {
  readonly language: Language;
  readonly ends: (older: Clause) => boolean;
  /** Whether the sentence names what has ended, and no value in its place. */
  readonly namesEnded: boolean;
  /** Whether something that the older sentence says may still hold. */
  readonly isInPart: boolean;
  /** Whether it ends a clause with enough certainty to replace a memory, not only to mark it. */
  readonly isCertain: (older: Clause) => boolean;
}

type Made = Omit<Correction, 'language' | 'isInPart'> & Partial<Pick<Correction, 'isInPart'>>;

/** Longer sentences say more than one thing. */
const SENTENCE_UNITS_MAX = 160;
/** Maximum sentences of one text. */
const SENTENCES_MAX = 12;
const SAME_TOKENS_MIN = 2;
const HAN_TOKENS_MIN = 3;
/** Minimum length of a stem that also matches longer words: `Medizin` matches its compounds. */
const STEM_UNITS_MIN = 5;

/** Returns the clauses of sentences, each with its subject. */
export function readClauses(sentences: readonly string[], language: Language): readonly Clause[] {
  const said = sentences.flatMap((sentence) => beforeQuestion(sentence, language));
  return readable(said).flatMap((sentence) => {
    const clauses = clausesIn(sentence, language).map(({ text }) => text);
    const all = clauses.length > 1 ? clauses : clausesOfThings(sentence, language);
    return all.map(written).map((text) => ({
      text,
      tokens: tokensOf(text),
      rest: tokensAfterDeterminer(text),
    }));
  });
}

/** Returns a text as one who writes capitals would begin it. */
function written(text: string): string {
  return capitalized(asWritten(text));
}

/** The end of a clause, if a thing with its own verb follows. */
const THING_FOLLOWS = new RegExp(
  String.raw`(?:,\s(?:(?:and|und|y)\s)?|\s(?:and|und|y)\s)` +
    String.raw`(?=(?:my|our|mein\p{L}*|unser\p{L}*|mi|nuestr[oa])` +
    String.raw`\s\p{L}+\s(?<verb>\p{Ll}+)\s)`,
  'giu',
);

/** Splits a sentence before things of the speaker: `We're off to Rome, my flight is on May 4`. */
function clausesOfThings(sentence: string, language: Language): readonly string[] {
  const { verb } = BOOKS[language];
  const ends = [...sentence.matchAll(THING_FOLLOWS)].filter(({ groups }) =>
    verb.test(groups?.['verb'] ?? ''),
  );
  const starts = [0, ...ends.map(({ index, 0: end }) => index + end.length)];
  return starts.map((start, place) => sentence.slice(start, ends[place]?.index));
}

function readable(sentences: readonly string[]): readonly string[] {
  const few = sentences.slice(0, SENTENCES_MAX);
  return few.filter((each) => each.length <= SENTENCE_UNITS_MAX && !isQuestionQuoteOrJoke(each));
}

const TOKEN = /\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{M}\p{N}])+/gu;

function tokensOf(text: string): readonly string[] {
  return text.toLowerCase().match(TOKEN) ?? [];
}

/** The subject to add to a sentence that leaves out its speaker. */
const SUBJECTS: Readonly<Record<Language, string>> = { en: 'I ', de: 'Ich ', es: '', zh: '我' };

function lowered(text: string): string {
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
}

/** Finds things that sentences say have ended, in any of the languages that they may be in. */
export function correctionsIn(
  sentences: readonly string[],
  languages: readonly Language[],
): readonly Correction[] {
  return readable(sentences).flatMap((sentence) =>
    languages.flatMap((language) => correctionsOf(sentence, language)),
  );
}

function correctionsOf(sentence: string, language: Language): readonly Correction[] {
  const retraction = retractionIn(sentence);
  if (retraction !== null) {
    return retraction.language === language ? [retractedBy(retraction)] : [];
  }
  const book = BOOKS[language];
  const typed = language === 'en' ? asWritten(sentence) : sentence;
  const held = withoutOnset(typed);
  const opened = held.replace(book.opening, '');
  const text = book.bare.test(opened) ? `${SUBJECTS[language]}${lowered(opened)}` : opened;
  const { gone, set, states } = likelyRules(text, language);
  const found = [
    ...gone.map((rule) => goneBy(rule, text, language)),
    ...set.map((pattern) => setBy(pattern, text, language)),
    ...states.map((rule) => stateBy(rule, text, language)),
    frameBy(text, held !== typed || book.opening.test(held), language),
  ];
  const made = found.filter((each) => each !== null);
  // Words such as `starting today` introduce a value; they do not make the sentence a passing one.
  if (made.length === 0) return [];
  if (!isPassing(text.replace(book.now, ' '), language)) {
    return made.map((each) => ({ language, isInPart: false, ...each }));
  }
  const standing = standingClauses(text, language).flatMap((each) => correctionsOf(each, language));
  return standing.map((each) => ({ ...each, isCertain: NEVER }));
}

/** Ends what is about the topic, or says what the retraction names and nothing else. */
function retractedBy({ language, topic, statement }: Retraction): Correction {
  const wanted = namedStems(topic ?? statement ?? '', language);
  const named = statement === null ? null : knownStatement(statement, []);
  const ends = ({ text, tokens }: Clause): boolean => {
    if (wanted.length === 0 || retractionIn(text) !== null) return false;
    if (topic !== null) return hasAll(tokens.map(STEMS[language]), wanted);
    const { negated, own } = BOOKS[language];
    const stems = namedStems(text, language);
    const isSame = hasAll(stems, wanted) && hasAll(wanted, stems);
    if (isSame) return negated.test(text) === negated.test(statement ?? '');
    const known = own.test(text) ? knownStatement(text, []) : null;
    return (
      named !== null &&
      named.topic === known?.topic &&
      named.negative === known.negative &&
      named.values.join(' ') === known.values.join(' ')
    );
  };
  return { language, ends, namesEnded: true, isInPart: false, isCertain: ends };
}

function namedStems(text: string, language: Language): readonly string[] {
  return language === 'zh' ? tokensOf(text) : stemsIn(text, language);
}

/** Whether the correction ends an older clause that says something lasting. */
export function isEndedBy(older: Clause, { language, ends }: Correction): boolean {
  return ends(older) && !isPassing(older.text, language);
}

/** A comma within a number, which lists nothing: `9,000`. */
const COMMA_OF_NUMBER = /(?<=\d),(?=\d{3})/gu;

/** As `isEndedBy`, if nothing else can be meant. */
export function isCertainlyEndedBy(older: Clause, correction: Correction): boolean {
  return (
    !BOOKS[correction.language].several.test(older.text.replace(COMMA_OF_NUMBER, '')) &&
    isEndedBy(older, correction) &&
    correction.isCertain(older)
  );
}

const NEVER = (): boolean => false;
/** The end of an earlier clause, after which the same speaker may go on. */
const JOINT = /(?:[,;，；–—]|\b(?:and|so|und|y))\s*$/iu;

/**
 * Whether the match is a clause of its own, about the present and about the speaker.
 * @param beside the text to check for doubt: the sentence, or what it says beside the match
 */
function isCertainlySaid(
  match: RegExpExecArray,
  { own, doubt }: CorrectionBook,
  beside = match.input,
): boolean {
  const { index, input } = match;
  const lead = /^[\s,;，；。]*/u.exec(match[0])?.[0] ?? '';
  const before = input.slice(0, index + lead.length);
  const isClause = before.trim() === '' || (JOINT.test(before) && own.test(before));
  return isClause && !doubt.test(beside) && !mayQuote(input);
}

/** `No longer only the order` ends nothing. */
const ONLY = /^\s*(?:(?:only|just|merely|nur|bloß|s[oó]lo|solamente)(?!\p{L})|[只仅])/iu;

/** Returns the part of a sentence that names a thing: `not` in another part denies nothing. */
function partWith(text: string, named: readonly string[], language: Language): string {
  const isNamed = (part: string): boolean => hasAll(tokensOf(part).map(STEMS[language]), named);
  return text.split(/[,;，；]/u).find((part) => isNamed(part)) ?? text;
}

/** Says what somebody, such as a doctor, gave the speaker: `Der Arzt hat mich umgestellt`. */
const TREATED = anyOf(
  anyWord(`
    (?:put|started) me on, prescribed me, gave me, hat (?:mich|mir), haben (?:mich|mir),
    me (?:recetó|recetaron|ha recetado|mandó|puso|dio)
  `),
  '(?:给我|让我)[开吃服用]',
);

function goneBy(rule: GoneRule, text: string, language: Language): Made | null {
  const match = rule.pattern.exec(text);
  const groups = match?.groups;
  if (match === null || groups === undefined) return null;
  const phrase = groups['gone'] ?? '';
  if (ONLY.test(phrase)) return null;
  const gone = namedIn(phrase, rule, language);
  if (gone.length === 0) return null;
  const kept = stemsIn(groups['as'] ?? '', language);
  const others = stemsIn(text, language).filter((stem) => !gone.includes(stem));
  const who = tokensAfterDeterminer(groups['who'] ?? '');
  const isTheirs = ({ text: before, rest }: Clause): boolean => {
    const isKin = BOOKS[language].kin.test(before);
    // `Tom` is `my brother Tom`.
    if (who.length > 0) return startsWith(rest, who) || (isKin && startsWith(rest.slice(1), who));
    if (!rule.ofKin && isKin) return false;
    return !rule.ofSpeaker || BOOKS[language].own.test(before) || TREATED.test(before);
  };
  const ends = (older: Clause): boolean => {
    const stems = older.tokens.map(STEMS[language]);
    return (
      hasAll(stems, gone) &&
      hasAll(stems, kept) &&
      (!rule.shares || others.some((stem) => hasAll(stems, [stem]))) &&
      isTheirs(older) &&
      rule.held.test(older.text) &&
      !nameDifferentPeople(older.text, text) &&
      !BOOKS[language].negated.test(partWith(older.text, gone, language)) &&
      !namesHealthRisk(older.text)
    );
  };
  const book = BOOKS[language];
  const at = text.indexOf(phrase, match.index);
  const isSaid =
    !rule.shares &&
    book.certain.test(match[0]) &&
    !book.indefinite.test(text.slice(0, at + phrase.length)) &&
    !book.narrower.test(text.slice(at + phrase.length)) &&
    isCertainlySaid(match, book);
  return {
    ends,
    namesEnded: true,
    isCertain: isSaid
      ? (older) => isHeldAlone(older, { phrase, rule, language, isOwn: who.length === 0 })
      : NEVER,
  };
}

interface Held {
  readonly phrase: string;
  readonly rule: GoneRule;
  readonly language: Language;
  /** Whether the speaker must have or do it, not a relative. */
  readonly isOwn: boolean;
}

/** Maximum words between the verb and the thing: `a cat called`. */
const BETWEEN_MAX = 4;
/** Maximum words before the verb: `I still`. */
const LEADING_MAX = 2;

/**
 * Whether a sentence says that somebody has or does exactly the thing that all words of a phrase
 * name, not something related to it, such as a `meeting with Honda` or a `Honda mechanic`.
 */
function isHeldAlone({ text, tokens, rest }: Clause, held: Held): boolean {
  const { phrase, rule, language, isOwn } = held;
  const book = BOOKS[language];
  const doing = rule.held.exec(text);
  if (doing === null || rule.held.source === '(?:)') return false;
  const stem = STEMS[language];
  const wanted = tokensOf(phrase).filter((token) => !book.generic.has(token));
  const isWanted = (token: string): boolean =>
    wanted.some((each) => isAlike(stem(each), stem(token)));
  const leading = tokensOf(text.slice(0, doing.index));
  const behind = tokensOf(text.slice(doing.index + doing[0].length));
  const first = behind.findIndex(isWanted);
  const isDirect =
    first <= BETWEEN_MAX &&
    !behind.slice(1, Math.max(1, first)).some((each) => book.beside.test(each));
  const said = [...tokensOf(doing[0]), ...behind];
  const isWhole = wanted.every((each) => said.some((token) => isAlike(stem(each), stem(token))));
  const next = said[said.findLastIndex(isWanted) + 1];
  const isOther = next !== undefined && isOtherThing(next, text, language);
  // `My boss drives` begins with an owner; `I still drive` does not.
  const isTheirs = isOwn && language !== 'zh' && rest.length < tokens.length;
  const isFirst = leading.length <= (isTheirs ? 1 : LEADING_MAX);
  return isFirst && isDirect && isWhole && !isOther;
}

/** Whether the word after a name makes it the name of another thing: a Honda `mechanic`. */
function isOtherThing(next: string, text: string, language: Language): boolean {
  const { beside, generic } = BOOKS[language];
  if (beside.test(next)) return true;
  if (language === 'zh' || generic.has(next) || kindsOf(next, '').length > 0) return false;
  // More of the same name: a Honda `Civic`.
  const isName = language !== 'de' && new RegExp(`\\s\\p{Lu}${next.slice(1)}`, 'u').test(text);
  return isContentWord(next) && !isName;
}

/** A thing with its owner: `Leo's training`, `la cuenta de Leo`. */
const OWNER = /\p{Ll}+ (?:of|del?) \p{Lu}|\p{Lu}[\p{L}\p{M}-]*['’]s? \p{Ll}/u;

/** Returns what a phrase names: its names and numbers if it has any, else its words. */
function namedIn(phrase: string, { isWhole }: GoneRule, language: Language): readonly string[] {
  if (language === 'zh') return tokensOf(phrase);
  const names = language === 'de' ? [] : (phrase.match(/(?<!\p{L})[\p{Lu}\p{N}]\S*/gu) ?? []);
  const isOfOwner = OWNER.test(phrase);
  if (names.length > 0 && !isWhole && !isOfOwner) return stemsIn(names.join(' '), language);
  const words = tokensOf(phrase);
  const telling = words.filter((word) => !BOOKS[language].generic.has(word));
  return stemsIn((telling.length > 0 ? telling : words).join(' '), language);
}

function stemsIn(text: string, language: Language): readonly string[] {
  return tokensOf(text)
    .filter((token) => isContentWord(token) || cardinalOf(token) !== undefined)
    .map(STEMS[language]);
}

/** Whether all wanted stems are among the stems; Chinese characters must stand together. */
function hasAll(stems: readonly string[], wanted: readonly string[]): boolean {
  if (wanted.some((stem) => /^\p{Script=Han}$/u.test(stem))) {
    return stems.join('').includes(wanted.join(''));
  }
  return wanted.every((stem) => stems.some((other) => isAlike(stem, other)));
}

function isAlike(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short === long || (short.length >= STEM_UNITS_MIN && long.startsWith(short));
}

function setBy(pattern: Pattern, text: string, language: Language): Made | null {
  const match = pattern.exec(text);
  const { thing, value, place, when } = match?.groups ?? {};
  if (match === null || thing === undefined) return null;
  const said = value ?? when ?? place;
  const book = BOOKS[language];
  const names = namesOf(tokensOf(thing), book);
  const hasKind = said !== undefined && !said.includes('@');
  const kindsOfSaid = when === undefined ? kindsIn : kindsOfDay;
  const kinds = hasKind ? kindsOfSaid(tokensOf(said)) : null;
  if (when !== undefined && kinds?.size === 0) return null;
  const ends = (older: Clause): boolean => {
    const rest = restAbout(older, names, book);
    if (rest === null || book.negated.test(older.text)) return false;
    if (kinds === null) return true;
    const before = kindsIn(rest);
    const isPlaced = rest.slice(1).some((token) => book.slots.has(token));
    if (place !== undefined && kinds.size === 0 && !isPlaced) return false;
    return kinds.size === 0 ? before.size === 0 : !kinds.isDisjointFrom(before);
  };
  // A new thing may exist beside the old one; a changed number does not.
  const isValue = kinds !== null && kinds.size > 0;
  const isOfAll = !tokensOf(said ?? '').some((each) => book.beside.test(each));
  const isSaid = isValue && isOfAll && isCertainlySaid(match, book);
  const isCertain = isSaid ? ({ rest }: Clause) => isOfWhole(rest, kinds, book) : NEVER;
  return { ends, namesEnded: false, isCertain };
}

/** Whether an older clause is about the whole thing and has no value of a further kind. */
function isOfWhole(
  rest: readonly string[],
  kinds: ReadonlySet<Kind>,
  { beside }: CorrectionBook,
): boolean {
  return !rest.some((token) => beside.test(token)) && kindsOfDay(rest).isSubsetOf(kinds);
}

function stateBy(rule: StateRule, text: string, language: Language): Made | null {
  const { newer, older, topic, isInPart } = rule;
  const now = newer.exec(text);
  if (now === null) return null;
  const book = BOOKS[language];
  const value = now.groups?.['value']?.toLowerCase();
  const ends = ({ text: said, tokens }: Clause): boolean => {
    if (older === null) return givesOther(said, topic, valueStems(value ?? '', language));
    const before = older.exec(said);
    if (before === null || whoIn(before, book) !== whoIn(now, book)) return false;
    if (value === undefined) return true;
    const then = before.groups?.['value']?.toLowerCase();
    return then === undefined ? !hasAll(tokens, tokensOf(value)) : value !== then;
  };
  const others = text.replace(now[0], ' ');
  const isCertain = !isInPart && (rule.isCertain || book.certain.test(now[0]));
  const isSaid = isCertain && isCertainlySaid(now, book, others);
  return { ends, namesEnded: false, isInPart, isCertain: () => isSaid };
}

/** Whether a sentence gives a topic a value, and not this one. */
function givesOther(text: string, topic: string | null, values: readonly string[]): boolean {
  // What a sentence mentions counts too: `I work as a nurse at Mercy`.
  return [knownStatement(text, []), ...statementsOf(text)].some(
    (said) =>
      said?.topic === topic &&
      !said.negative &&
      !values.every((each) => said.values.includes(each)),
  );
}

/** Returns only the name if there is one (`my brother Tom`), else the words after an article. */
function whoIn({ groups }: RegExpExecArray, { things }: CorrectionBook): string | undefined {
  const who = groups?.['who'];
  if (who === undefined) return undefined;
  const name = /\s(?<name>\p{Lu}\p{Ll}+)$/u.exec(who)?.groups?.['name'];
  const named = name?.toLowerCase() ?? tokensAfterDeterminer(who).join(' ');
  return things.get(named) ?? named;
}

/** Returns the names of a thing, each split into its words. */
function namesOf(
  tokens: readonly string[],
  { things }: CorrectionBook,
): readonly (readonly string[])[] {
  const name = tokens.join(' ');
  const one = things.get(name) ?? name;
  const others = [...things.keys()].filter((each) => things.get(each) === one && each !== name);
  return [name, one, ...others].map((each) => each.split(' '));
}

/** Stands before what a thing is of or for. */
const OF = /^(?:of|for|de|del|para|fürs?|vo[nm]|zu[mr]?|de[rs])$/u;
/** Most words in which that is said. */
const OF_WORDS_MAX = 5;

/** Returns what a sentence says about a thing at its beginning; null if it begins with another. */
function restAbout(
  { text, rest }: Clause,
  names: readonly (readonly string[])[],
  book: CorrectionBook,
): readonly string[] | null {
  const { thing = '', value = '' } = book.amount.exec(text)?.groups ?? {};
  const named = tokensAfterDeterminer(thing).join(' ');
  if (names.some((each) => each.join(' ') === named)) return tokensOf(value);
  const name = names.find((each) => startsWith(rest, each));
  if (name === undefined) return null;
  const said = rest.slice(name.length);
  if (book.verb.test(said[0] ?? '')) return said;
  // `The permit of the city expires` tells of the permit.
  if (!OF.test(said[0] ?? '')) return null;
  const verb = said.slice(0, OF_WORDS_MAX).findIndex((token) => book.verb.test(token));
  return verb < 0 ? null : said.slice(verb);
}

/** Tries the determiners of all languages, since a short sentence may not show its own. */
function tokensAfterDeterminer(text: string): readonly string[] {
  return tokensOf(DETERMINERS.reduce((rest, determiner) => rest.replace(determiner, ''), text));
}

function startsWith(tokens: readonly string[], first: readonly string[]): boolean {
  return first.length > 0 && first.every((token, at) => tokens[at] === token);
}

/** Matches the same sentence with another value in one place, or with or without a negation. */
function frameBy(text: string, isOpened: boolean, language: Language): Made | null {
  const book = BOOKS[language];
  const clauses = text.split(/[,;，；]/u).map((clause) => [clause, clause.replace(book.now, ' ')]);
  const [clause, plain] = clauses.find(([whole, rest]) => isOpened || whole !== rest) ?? [];
  if (clause === undefined || plain === undefined) return null;
  const isNegated = book.negated.test(clause);
  if (!isNegated && book.addition.test(plain)) return null;
  const said = tokensAfterDeterminer(plain.trim());
  const capitals = new Set(plain.match(CAPITALIZED)?.map((word) => word.toLowerCase()));
  const wanted = stemsBeside(said, book.negation, language);
  const isEnough = said.some((token) => isContentWord(token) || cardinalOf(token) !== undefined);
  const least = language === 'zh' ? HAN_TOKENS_MIN : SAME_TOKENS_MIN;
  const ends = ({ text: before, rest }: Clause): boolean => {
    if (!isNegated && isFramed(rest, said, capitals, book)) return true;
    if (!isNegated && isOwnCount(before, book) && isRecounted(rest, said)) return true;
    if (!isEnough || book.negated.test(before) === isNegated) return false;
    const stems = stemsBeside(rest, book.negation, language);
    const isWhole = stems.length === wanted.length;
    return hasAll(stems, wanted) && (isWhole || (isNegated && wanted.length >= least));
  };
  const isOver = isNegated && book.certain.test(clause);
  const isSaid = isOver && text.startsWith(clause) && !mayQuote(text);
  return { ends, namesEnded: isNegated, isCertain: () => isSaid };
}

/** Whether a sentence counts what its speaker has, not what a relative has. */
function isOwnCount(text: string, { own, kin }: CorrectionBook): boolean {
  return own.test(text) && !kin.test(text);
}

function stemsBeside(
  tokens: readonly string[],
  dropped: ReadonlySet<string>,
  language: Language,
): readonly string[] {
  return tokens.filter((token) => !dropped.has(token)).map(STEMS[language]);
}

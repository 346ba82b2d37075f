/**
 * Decides whether a newer text says that something in an older one has changed. Turns, memories and
 * sentences of summaries share this rule. It applies where the rules of extraction do not tell for
 * certain what has ended.
 */
import {
  isOfUser,
  statementsAndCorrectionsOf,
  type StatementsAndCorrections,
} from '../../extraction/statements-and-corrections.ts';
import { withoutKnownChanges } from '../../extraction/changed-to.ts';
import { stillSays, type Ending } from '../../extraction/compare-with-known.ts';
import { readValues, type ReadValues } from '../../extraction/newer-value.ts';
import { isOfOtherThing, mayHaveOneSubject } from './sentence-subjects.ts';
import { isOtherOffer, isSwitched, isUpgraded } from './switched-product.ts';
import { retractionIn } from '../../extraction/retraction.ts';
import { withoutQuotes } from '../../extraction/others-words/quotations.ts';
import { lastingPart, ownSentences } from '../../extraction/statement.ts';
import {
  holdingPart,
  isAhead,
  mayTellOfOtherTime,
  saidTimes,
  type SaidTimes,
} from '../../extraction/valid-time.ts';
import { namesHealthRisk } from '../../text/health-risks.ts';
import { HAN } from '../../text/language.ts';
import { memoized } from '../../text/memoized.ts';
import { nameDifferentPeople } from '../../text/different-people.ts';
import { oneOf } from '../../text/pattern.ts';
import { changeSigns, splitIntoClauses, type ChangeSigns } from './change-signs.ts';
import {
  haveOneKind,
  passageSigns,
  TELLS_OF_CHANGE,
  valuesByKind,
  type PassageSigns,
} from '../question/answer-types.ts';
import { once } from '../../once.ts';
import { isContentWord, plainWords } from '../../text/words.ts';
import { errandOf, isDone, taskOf } from '../../extraction/done-task.ts';
import { isPastEvent } from '../../text/past-event.ts';
import {
  isFormOf,
  isSideWord,
  isTopic,
  mayNameTopic,
  withoutAsides,
} from '../words/topic-words.ts';

/** What the comparison needs of a text. */
export interface DatedText {
  readonly content: string;
  /** When it began to hold, in milliseconds since the epoch. */
  readonly at: number;
  /** The day on which it is compared, as `dayOf` counts; the day when it was said if absent. */
  readonly today?: number | undefined;
  /** Returns the terms of the content, as a search compares them; most comparisons need none. */
  readonly terms: () => ReadonlySet<string>;
}

/** A sentence or a clause with its words. */
interface ReadWords {
  readonly text: string;
  readonly words: readonly string[];
}

interface ReadSentence extends ReadWords {
  readonly clauses: () => readonly ReadWords[];
}

/** What the rules find in a text. */
export interface TextReading extends ReadValues {
  readonly signs: PassageSigns;
  readonly lasting: StatementsAndCorrections;
  readonly told: ChangeSigns;
  /** Its names, its numbers and its dates. */
  readonly valuesByKind: () => readonly ReadonlySet<string>[];
  /** The words of a task that it sets; null if it sets none. */
  readonly task: () => readonly string[] | null;
  /** Whether it tells of a day to come or of a limited time. */
  readonly isOfOtherTime: () => boolean;
  readonly sentences: () => readonly ReadSentence[];
  /** Whether what it says has changed is still in the part of it that lasts. */
  readonly isSaidToLast: () => boolean;
}

/** Returns the number of known texts that have a term. */
export type TextsWith = (term: string) => number;

/** A text with what the rules find in it. */
export interface ReadText extends DatedText, TextReading {
  readonly times: () => SaidTimes;
  readonly textsWith: TextsWith;
}

/** A term identifies a topic if at most this many texts have it. */
const TELLING_TEXTS_MAX = 6;
/** Kinds of values that replace a number or a date, never a name. */
const AMOUNTS: ReadonlySet<string> = new Set(['money', 'percent', 'weekday', 'date', 'clock']);
/** Share of the words of a text that its replacement repeats; the rest is the old value. */
const REPEATED_SHARE_MIN = 0.6;

/** Minimum length of a word that counts as equal to a slightly longer one: `seat` and `seats`. */
const STEM_UNITS_MIN = 4;

const NO_OTHERS: TextsWith = () => 0;

/** Cache of what the rules find in memories, which answers contain again; at most about 32 MB. */
const memoryReading = memoized(readingOfNote, { entriesMax: 8_192, unitsMax: 1_024 });

function readingOfNote(content: string): TextReading {
  return noteReadingOf(content, passageSigns(content));
}

/** Reads a memory or a line, which may set a task without saying whose: `Call the plumber`. */
export function noteReadingOf(content: string, signs: PassageSigns): TextReading {
  const read = textReadingOf(content, signs);
  return { ...read, task: once(() => read.task() ?? errandOf(content)) };
}

export function textReadingOf(content: string, signs: PassageSigns): TextReading {
  const own = withoutQuotes(content);
  return {
    signs: own === content ? signs : passageSigns(own),
    lasting: statementsAndCorrectionsOf(content),
    told: changeSigns(own),
    valuesByKind: once(() => valuesByKind(content)),
    task: once(() => taskOf(content)),
    isOfOtherTime: once(() => mayTellOfOtherTime(content)),
    sentences: once(() => ownSentences(content).map(readSentence)),
    isSaidToLast: once(() => isSaidToLast(content)),
    ...readValues(content),
  };
}

export function readDatedText(text: DatedText, textsWith: TextsWith = NO_OTHERS): ReadText {
  const times = once(() => saidTimes({ text: text.content, at: text.at }));
  return { ...text, ...memoryReading(text.content), times, textsWith };
}

/**
 * Returns a newer text as far as it holds now and for good, and gives a value that the older one
 * lacks: only that ends something older.
 * @param older null for any text that holds in general
 */
export function asHolding<T extends ReadText>(newer: T, older: ReadText | null): T {
  if (retractionIn(newer.content) !== null) return newer;
  const before = older?.isOfOtherTime() === true ? older.times() : null;
  if (before !== null && isAhead(before, newer.times())) return withContent(newer, '');
  const holding = newer.isOfOtherTime()
    ? holdingPart(newer.times(), before, newer.today)
    : newer.content;
  const content = older === null ? holding : withoutKnownChanges(holding, older.content);
  return content === newer.content ? newer : withContent(newer, content);
}

function withContent<T extends ReadText>(text: T, content: string): T {
  const times = once(() => saidTimes({ text: content, at: text.at }));
  return { ...text, content, ...memoryReading(content), times };
}

/**
 * Whether a text may end something in any other, by `endingOf` or `isLikelyChange`; few may. It
 * does not find a text that only says that a task is done, as `isTaskDone` does.
 */
export function mayEndAnother(text: TextReading): boolean {
  return text.lasting.statements.length > 0 || text.signs.mayChange || endsOrTurns(text);
}

/** As `mayEndAnother`, or by another value of what an older text names. */
export function mayReplace(text: TextReading): boolean {
  return text.values.length > 0 || mayEndAnother(text);
}

/** Whether a text says that something has changed, whatever that is. */
export function tellsOfChange(content: string): boolean {
  const text = memoryReading(content);
  return text.signs.isChange || endsOrTurns(text);
}

function endsOrTurns({ lasting, told }: TextReading): boolean {
  return (
    lasting.corrections.length > 0 || told.isTurn() || told.over().length > 0 || told.isCancelled()
  );
}

/** Returns how much of an older text a newer one likely ends. */
export function likelyEnding(older: ReadText, newer: ReadText): Ending {
  if (!isLikelyChange(older, newer)) return 'None';
  return stillSays(older.lasting, newer.lasting) ? 'Some' : 'All';
}

export function isLikelyChange(older: ReadText, newer: ReadText): boolean {
  if (isTaskDone(older, newer)) return true;
  const isTold =
    isOver(older, newer) ||
    isUpgraded(older, newer) ||
    (newer.told.isCancelled() && older.told.isBooked() && haveOneKind(older.signs, newer.signs)) ||
    ((isOtherValue(older, newer) ||
      isNewValue(older, newer) ||
      isSwitched(older, newer) ||
      isOtherOffer(older, newer)) &&
      mayHaveOneSubject(older.content, newer.content) &&
      !isOfOtherThing(older.content, newer.content));
  return isTold && newer.isSaidToLast();
}

/** Whether a text sets a task and a newer one says that it is done. */
export function isTaskDone(older: ReadText, newer: ReadText): boolean {
  const task = older.task();
  if (task === null || !isDone(task, newer.content)) return false;
  const who = ASSIGNED.exec(older.content)?.groups?.['who'];
  const isOne = (name: string): boolean => plainWords(newer.content).includes(name.toLowerCase());
  return who === undefined || isOne(who) || isOfUser(newer.content);
}

/** The person who has a task, by name. */
const ASSIGNED = new RegExp(
  String.raw`(?<!\p{L})(?<who>(?!I\s|We\s|Ich\s|Wir\s|Yo\s)\p{Lu}[\p{L}\p{M}-]+)\s` +
    String.raw`(?:must|has to|have to|needs to|muss|müssen|tiene que|debe)\s`,
  'u',
);

function isSaidToLast(content: string): boolean {
  const part = lastingPart(content);
  return part === content || (part !== '' && mayEndAnother(memoryReading(part)));
}

/**
 * Whether the newer text has a word of change, a value of the same kind, and a shared word that few
 * texts have; or a weaker word of change, and most words of the older text.
 */
function isNewValue(older: ReadText, newer: ReadText): boolean {
  const { isChange, mayChange } = newer.signs;
  if (!mayChange) return false;
  const own = older.terms();
  const said = newer.terms();
  // Most pairs share no word, which is quick to check.
  if (own.isDisjointFrom(said)) return false;
  if (!HAN_TO.test(newer.content) && !namesOtherValue(older, newer)) return false;
  const isAmount = newer.signs.kinds.some((kind) => AMOUNTS.has(kind));
  if (isAmount && !(older.signs.isNumber || older.signs.isDate)) return false;
  if (isAmount && isOnlyDay(newer) && !isTimed(older)) return false;
  if (isAmount && nameDifferentPeople(older.content, newer.content)) return false;
  if (newer.signs.kinds.includes('money') && isForOther(older, newer)) return false;
  const [repeated, news] = [[...said].filter((term) => own.has(term)), said.difference(own)];
  // `Yes, Tom is my boss now` restates `My new boss is Tom`.
  if (news.isSubsetOf(WITHOUT_NEWS)) return false;
  const isTelling = (term: string): boolean =>
    isTopic(term, newer.told.changed(), isAmount) &&
    older.textsWith(term) + newer.textsWith(term) <= TELLING_TEXTS_MAX;
  const isMost =
    isMostOf(repeated, [...own]) &&
    isMostOf(repeated.filter(isContentWord), [...own].filter(isContentWord));
  const named = repeated.filter((term) => mayNameTopic(term) || ITEM.test(term));
  const isRestated = isMost && named.length > 1 && repeated.length < said.size;
  if (isRestated && newer.sentences().some((each) => namesAll(each, repeated))) return true;
  if (!isChange || lasts(older.content)) return false;
  const telling = repeated.filter((term) => isTelling(term) && !isAside(older, term));
  if (telling.length === 0 || hasHappened(older, telling)) return false;
  const isOfOneUnit = older.signs.kinds.some((kind) => newer.signs.kinds.includes(kind));
  return isOfOneUnit || isToldTogether(older, newer, telling.slice(0, TOPICS_MAX));
}

/** Kinds of values that say when something takes place. */
const TIMES: ReadonlySet<string> = new Set(['weekday', 'date', 'clock']);

/** Whether the only amount of a text is a day, which replaces no name and no number. */
function isOnlyDay({ signs: { kinds } }: ReadText): boolean {
  return kinds
    .filter((kind) => AMOUNTS.has(kind))
    .every((kind) => TIMES.has(kind) && kind !== 'clock');
}

function isTimed({ signs: { isDate, kinds } }: ReadText): boolean {
  return isDate || kinds.some((kind) => TIMES.has(kind));
}

/** The number of an item of a list: `Rule 2 is gone: jokes are fine`. */
const ITEM = /^\p{N}+$/u;
/** Stands before the value that is left: `from Porto to Braga`. */
const LEAVES = /(?<!\p{L})(?:from|von|vom|aus|statt|de|del|desde)\s\p{Lu}/u;
const TOPICS_MAX = 32;

/**
 * Whether the newer text mentions the change, names a topic and gives the new value in one clause
 * or in two that follow each other, and a clause of the older one names that topic and the old
 * value. People tell of many things in one breath: a name or a bare number elsewhere in the text is
 * mostly of another matter.
 */
function isToldTogether(older: ReadText, newer: ReadText, topics: readonly string[]): boolean {
  const [values, others] = [older.valuesByKind(), newer.valuesByKind()];
  const known = older.sentences().flatMap(({ clauses }) => clauses());
  const over = newer.told.over().flat();
  const isOther = (topic: string, told: readonly ReadWords[]): boolean =>
    values.some((before, kind) => {
      // A name may be the topic, but it is the old value only if that has ended, or is left.
      const isOver =
        over.some((word) => isFormOf(word, topic)) ||
        told.some((clause) => LEAVES.test(clause.text) && namesAll(clause, [topic]));
      const old = [...before].filter((value) => isOver || !isFormOf(value, topic));
      const news = [...(others[kind] ?? [])].filter((value) => !before.has(value));
      return (
        told.some((clause) => givesOneOf(clause, news)) &&
        known.some((clause) => namesAll(clause, [topic]) && givesOneOf(clause, old))
      );
    });
  return newer.sentences().some(({ text: sentence, clauses }) =>
    clauses().some((clause, at, all) => {
      if (!TELLS_OF_CHANGE.test(clause.text)) return false;
      const before = all[at - 1];
      return topics.some((topic) => {
        if (namesAll(clause, [topic])) {
          if (NO_MORE.test(clause.text) || HAN_TO.test(sentence)) return true;
          return isOther(topic, all.slice(at, at + 2));
        }
        if (before === undefined || !namesAll(before, [topic])) return false;
        return HAN_TO.test(sentence) || isOther(topic, [clause]);
      });
    }),
  );
}

function readSentence(text: string): ReadSentence {
  return { ...readWords(text), clauses: once(() => splitIntoClauses(text).map(readWords)) };
}

function readWords(text: string): ReadWords {
  return { text, words: plainWords(text) };
}

function namesAll({ text, words }: ReadWords, terms: readonly string[]): boolean {
  return terms.every((term) =>
    HAN.test(term) ? text.includes(term) : words.some((word) => isFormOf(word, term)),
  );
}

function givesOneOf({ words }: ReadWords, values: readonly string[]): boolean {
  return values.some((value) => plainWords(value).some((word) => words.includes(word)));
}

/** Whether the newer text is about a thing that the older does not name: `80 euros for parking`. */
function isForOther(older: ReadText, newer: ReadText): boolean {
  const { purpose = '' } = FOR.exec(newer.content)?.groups ?? {};
  const named = plainWords(purpose).filter((word) => isContentWord(word) && !isSideWord(word));
  const known = older.told.words();
  return named.length > 0 && !named.some((word) => known.some((other) => isAlike(word, other)));
}

const FOR = new RegExp(
  String.raw`(?<!\p{L})(?:for|für|para|por)\s` +
    String.raw`(?:(?:the|my|our|an?|d\p{L}\p{L}|mein\p{L}*|unser\p{L}*|ein\p{L}*|el|la|mi)\s)?` +
    String.raw`(?<purpose>\p{L}+)`,
  'iu',
);

function isMostOf(some: readonly string[], all: readonly string[]): boolean {
  return some.length >= all.length * REPEATED_SHARE_MIN;
}

/**
 * Says that a value no longer holds, so that no other needs to be named; `no longer only the order`
 * adds one.
 */
const NO_MORE = new RegExp(
  String.raw`(?<!\p{L})${oneOf(`
    any ?more, no longer(?! (?:only|just|merely)), instead, nicht mehr(?! (?:nur|bloß)),
    kein\\p{L}* mehr, stattdessen, ya no(?! s[oó]l[oa]), en vez de, en lugar de
  `)}(?!\p{L})|不再(?![只仅])`,
  'iu',
);

/**
 * Whether the newer text names a value that the older lacks, of a kind that both have. A name that
 * both have is no new value: `My daughter Ines starts school in Porto`, `The bus picks Ines up`.
 */
function namesOtherValue(older: ReadText, newer: ReadText): boolean {
  if (!haveOneKind(older.signs, newer.signs)) return false;
  const [before, after] = [older.valuesByKind(), newer.valuesByKind()];
  const isOther = after.some((values, kind) => {
    const known = before[kind];
    return known !== undefined && known.size > 0 && !values.isSubsetOf(known);
  });
  const isEnded = isOther || NO_MORE.test(newer.content);
  return isEnded && haveOneRole(older.content, newer.content);
}

/** Words that stand before a place, and before who or what takes part. */
const ROLES = [
  String.raw`(?:in|im|ins|en)(?:\s(?:the|de[mrn]|die|das|my|meine[mrn]?|el|la|mi))?`,
  String.raw`(?:with|by|mit|per|con)(?:\s(?:the|de[mrn]|my|our|meine[mr]?|unsere[mr]?|el|la|mi))?`,
].map((before) => new RegExp(String.raw`(?<!\p{L})${before}\s(?=\p{Lu})`, 'u'));

/** Whether both texts may say the same of a thing: `in Bonn` says where, `mit dem Rad` how. */
function haveOneRole(older: string, newer: string): boolean {
  const [before, after] = [older, newer].map((text) => ROLES.map((role) => role.test(text)));
  const isSame = ROLES.some((_, role) => before?.[role] === true && after?.[role] === true);
  const isBoth = [before, after].every((roles) => roles?.includes(true) === true);
  return isSame || !isBoth;
}

/** Whether a text names a term only in a reason, or where it introduces somebody. */
function isAside({ content }: ReadText, term: string): boolean {
  const others = withoutAsides(content);
  if (others === content) return false;
  return !plainWords(others).some((word) => isAlike(word, term));
}

const WITHOUT_NEWS: ReadonlySet<string> = new Set(
  'yes ye yeah right now jetzt ja genau ahora si claro 现在'.split(' '),
);

/** Whether all clauses that name one of these words tell of a past event, which stays true. */
function hasHappened({ lasting }: ReadText, words: readonly string[]): boolean {
  const naming = lasting
    .clauses()
    .filter(({ tokens }) =>
      words.some(
        (word) => tokens.some((token) => isAlike(word, token)) || isHanIn(word, tokens.join('')),
      ),
    );
  return naming.length > 0 && naming.every(({ text }) => isPastEvent(text.replace(IS_CALLED, ' ')));
}

const IS_CALLED = /\b(?:is|are) called\b/u;

/** Matches what still holds after somebody has left, such as a name or a birthday. */
const LASTING = /\b(?:called|named|name is|hei(?:ß|ss)t|llama|born|birthday)\b|叫|生日/iu;

/** Gives the name of who has a role, which another may take on: `Our tutor is called Amir`. */
const NAMES_ROLE = new RegExp(
  String.raw`(?<!\p{L})${oneOf(`my, our, mein\\p{L}*, unser\\p{L}*, mi, nuestr[oa]`)}` +
    String.raw`\s(?:\p{L}+\s)?${oneOf(`
      boss, manager, supervisor, (?:team |squad )?lead, tutor, teacher, coach, trainer, doctor, GP,
      dentist, vet, therapist, physio\\p{L}*, landlord, landlady, accountant, lawyer, cleaner,
      nanny, babysitter, midwife, hairdresser, hebamme, tagesmutter, \\p{L}*friseur(?:in)?,
      contact, supplier, \\p{L}*chefin, \\p{L}*chef, \\p{L}*leiter(?:in)?, \\p{L}*arzt,
      \\p{L}*ärztin, \\p{L}*lehrer(?:in)?, \\p{L}*trainer(?:in)?, \\p{L}*therapeut(?:in)?,
      \\p{L}*berater(?:in)?, \\p{L}*betreuer(?:in)?, \\p{L}*vermieter(?:in)?, jef[ea], médic[oa],
      doctora?, profesora?, profe, entrenadora?, caser[oa], dentista, fisio\\p{L}*, psicólog[oa],
      tutora?, gestora?, abogad[oa]
    `)}(?:\sis called|['’]s name is|\sheißt|\sse llama)(?!\p{L})|` +
    '(?:老板|领导|主管|经理|医生|房东|老师|教练|导师)叫',
  'iu',
);

function lasts(text: string): boolean {
  return (LASTING.test(text) && !NAMES_ROLE.test(text)) || namesHealthRisk(text);
}

/** Matches `changed to` in Chinese, where no capital marks the new value as a name. */
const HAN_TO = /\p{Script=Han}[\p{Script=Han}，,](?:改|换|转|挪|搬|移)[成到为]/u;

/** A question, or what somebody said: `Tom says it is too far`, `你说他怎么样?`. */
const STATES_NOTHING = new RegExp(
  String.raw`[?？]\s*$|(?<!\p{L})${oneOf('says?, said, sagt, sagte, dice, dijo, dicen')}(?!\p{L})|说`,
  'iu',
);

/** Whether the newer text ends what the older names: `Tom Reed left`, `Tom Reed is my boss`. */
function isOver(older: ReadText, newer: ReadText): boolean {
  const over = newer.told.over();
  if (over.length === 0 || lasts(older.content) || STATES_NOTHING.test(older.content)) return false;
  const words = older.told.words();
  return over.some(
    (named) =>
      named.every((word) => words.some((other) => isAlike(word, other))) &&
      !hasHappened(older, named),
  );
}

function isHanIn(word: string, text: string): boolean {
  return HAN.test(word) && text.includes(word);
}

function isAlike(a: string, b: string): boolean {
  if (a === b) return true;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return (
    short.length >= STEM_UNITS_MIN && long.length - short.length <= 2 && long.startsWith(short)
  );
}

/** Matches wording for a state or a lasting wish; `have` and `like` allow several values. */
const IS_ONE = new RegExp(
  String.raw`(?<!\p{L})${oneOf(`
    is, am, are, i['’]m, prefers?, wants?, always, ist, bin, sind, bevorzug\\p{L}+, immer, es, soy,
    son, está, estoy, prefiero, prefiere, siempre
  `)}(?!\p{L})|是|更喜欢|总是`,
  'iu',
);

/** Whether the texts differ in one value only: `I prefer dark mode`, `I prefer light mode`. */
function isOtherChoice(older: ReadText, newer: ReadText): boolean {
  const [before, after] = [older.told.values(), newer.told.values()];
  if (before.size === 0 || before.size !== after.size) return false;
  if (!IS_ONE.test(newer.content)) return false;
  const [other, ...others] = [...after].filter(([value]) => !before.has(value));
  if (other === undefined || others.length > 0) return false;
  const isOfField = [...before].some(([value, field]) => field === other[1] && !after.has(value));
  const frame = older.told.frame();
  return isOfField && frame !== '' && frame === newer.told.frame();
}

/** Whether the newer text gives another value of the same group: `window` and `aisle`, of seats. */
function isOtherValue(older: ReadText, newer: ReadText): boolean {
  if (isOtherChoice(older, newer)) return !namesHealthRisk(older.content);
  if (!newer.told.isTurn()) return false;
  const before = older.told.values();
  const fields = new Set(before.values());
  const others = [...newer.told.values()].filter(
    ([value, field]) => fields.has(field) && !before.has(value) && !newer.told.ended().has(value),
  );
  // `Coffee in the morning` and `tea in the evening` are two habits.
  const isOther = new Set(others.map(([, field]) => field)).size === 1;
  if (!isOther || namesHealthRisk(older.content)) return false;
  const own = older.terms();
  const frames = [older.told.frame(), newer.told.frame()];
  const isShared = (term: string): boolean =>
    own.has(term) &&
    mayNameTopic(term) &&
    (!HAN.test(term) || frames.every((frame) => frame.includes(term)));
  return [...newer.terms()].some(isShared) || (older.told.isWish() && newer.told.isWish());
}

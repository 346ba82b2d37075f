/**
 * Finds the task that a text sets, and whether another text says that it is done, in English,
 * German, Spanish and Chinese: `Ann must send the plan to Ben` is over with `Ann sent the plan`.
 * A list of tasks and a task that returns do not end.
 */
import { isQuestion } from '../text/question.ts';
import { LEXICONS } from '../grounding/lexicon/lexicon-by-language.ts';
import { HAN, languageOf, type Language } from '../text/language.ts';
import { isOfCalendar } from '../text/calendar-words.ts';
import { nameDifferentPeople } from '../text/different-people.ts';
import { memoized } from '../text/memoized.ts';
import { anyOf, anyWord, oneOf } from '../text/pattern.ts';
import { isContentWord, plainWords } from '../text/words.ts';
import { isErrand } from './open-tasks.ts';

const WORDS_OF_TASK = String.raw`
  open task:, to-?do(?:\s?:|\s[-–—]), on my list:, must, (?:has|have|needs?|remember|forget|got) to,
  gotta, remind me to, offene Aufgabe:, zu erledigen:, muss, müssen,
  (?:tarea )?pendientes?:, (?:tiene|tengo|tenemos|hay) que, debe, debo, debemos, recuérdame,
  (?:me|nos) falta
`;
const SETS_TASK = new RegExp(
  String.raw`^.*(?:(?<!\p{L})${oneOf(WORDS_OF_TASK)}\s|(?:待办[：:]|要|得|必须|需要|记得|提醒我))` +
    String.raw`(?<task>.+)$`,
  'iu',
);
/** A list of tasks, of which one may be left, or a task that returns. */
const SEVERAL = anyOf(
  anyWord(`
    and, or, und, oder, y, o, every, each, daily, weekly, monthly, always, jeden?, jede[rs]?,
    täglich, wöchentlich, immer, cada, siempre, todos los
  `),
  '[;、和并每]',
);
/** A comma within a date is followed by a capital or a number. */
const LIST = /,\s\p{Ll}/u;
const DONE = anyOf(
  anyWord(`
    done, finished, sorted, erledigt, fertig, raus, abgeschlossen, hech[oa], list[oa], terminad[oa]
  `),
  '完成|办好|好了',
);
/** The words that may still be ahead, or never were: `has not sent`, `will send`, `almost sent`. */
const NOT_DONE = anyOf(
  anyWord(`
    not, never, no, will, would, should, must, (?:has|have|needs?|going) to, if, when, almost, half,
    nicht, kein\\p{L}*, nie, wird, werde, würde, soll, sollte, muss,
    wenn, fast, nunca, va, voy, debe, que, si, cuando, casi,
    still, noch, todavía, until, forgot
  `),
  String.raw`n['’]t(?!\p{L})|[?？没不未要将会如]`,
);
/** Past forms in English that a report has; `need` ends like one. */
const PAST_EN = new RegExp(
  String.raw`^(?!(?:need|indeed|feed|speed|hundred|bed|red)$)(?:\p{L}{2,}ed|${oneOf(`
    sent, paid, bought, got, made, wrote, took, did, gave, brought, found, met, spoke, put, set,
    told, went, left, sold, built, cut, ran, drew
  `)})$`,
  'u',
);
/** How speakers report what they did, or leave themselves out: `Sent the report`. */
const BY_SPEAKER: Readonly<Record<Language, RegExp>> = {
  en: new RegExp(
    String.raw`(?:^|[,;:] |(?<!\p{L})(?:and|but|so) )(?:I|we)(?:['’]ve)?(?!\p{L})|` +
      String.raw`^(?:(?:just|already|finally|now|ok(?:ay)?,|yes,|and) )*(?!need|indeed)` +
      String.raw`(?:\p{L}{2,}ed|sent|paid|bought|got|made|wrote|took|brought) `,
    'iu',
  ),
  de: new RegExp(
    String.raw`(?<!\p{L})(?:(?:ich|wir) (?:habe?|haben|bin|sind|\p{L}+ten?)|` +
      String.raw`(?:habe?|haben|bin|sind) (?:ich|wir))(?!\p{L})|` +
      String.raw`^(?!.*(?<!\p{L})(?:ich|wir|er|sie|hat|haben)(?!\p{L})).*` +
      String.raw`(?:ge\p{L}+en|\p{L}t)[.!]?$`,
    'iu',
  ),
  es: /(?<!\p{L})(?:\p{L}+(?:é|í|amos|imos)|hice|puse|he|hemos)(?!\p{L})/iu,
  zh: /^[^他她]*$/u,
};
/** Says of a thing, whoever did it, that nothing is left to do: `The passport is done`. */
const SETTLED = new RegExp(
  String.raw`^(?:(?:the|my|our|der|die|das|mein\p{L}*|el|la|mi)\s.*)?(?<!\p{L})${oneOf(`
    done, sorted, erledigt, hech[oa]
  `)}(?!\p{L})`,
  'iu',
);
/** Ends before `ré` in a form of the future: `enviaré`, `pondré`. */
const FUTURE_ES = '(?:[aei]|(?:pon|sal|ten|ven|val|po)d|quer|^[shc]ab)';
/** Frequent verbs whose past looks like a future: `preparé`, of `preparar`. */
const RAR_ES = `^${oneOf(`
  (?:pre|re|se|com|dis|am|aca)?par, (?:de|a)clar, (?:des)?esper, recuper, (?:co)?oper, super,
  (?:re)?gener, consider, alter, (?:de)?liber, toler, aceler, numer, moder, exager, (?:re|es)?tir,
  (?:ad)?mir, gir, (?:a|in|re|su)spir, expir
`)}`;
/** Verb forms of the past, by language; a form that is also the infinitive is none. */
const PAST: Readonly<Partial<Record<Language, RegExp>>> = {
  de: /ge\p{L}+(?:t|en)$|^(?:be|ver|er|ent|zer|über|unter)\p{L}+(?:t|en)$|\p{L}te$/u,
  es: new RegExp(
    String.raw`(?<!^(?:as|aqu|ah|all|m|s|t))í$|(?<!^(?:caf|qu|porqu|s|t|beb|d))(?<!r)é$|` +
      String.raw`(?<!${FUTURE_ES})ré$|${RAR_ES}é$|(?:ó|[ai]d[oa]s?|aron|ieron|amos|imos|hizo|` +
      `hice|puso|puse)$`,
    'u',
  ),
};
/** `sends`, `sending`: not of the past, unless the word of the task itself ends so. */
const EN_PRESENT = /(?:s|ing)$/u;
/** Share of the words beside the verb that the other text repeats. */
const SHARED_SHARE_MIN = 0.5;
/** Chinese is compared by pairs of characters, some of which join other words. */
const HAN_SHARE_MIN = 0.6;
const DONE_HAN = /了|完成/u;

/** Returns the words of the one task that a text sets; null if it sets none, or several. */
export function taskOf(text: string): readonly string[] | null {
  const task = SETS_TASK.exec(text)?.groups?.['task'];
  return task === undefined || isQuestion(text) ? null : wordsOf(task);
}

/** As `taskOf`, for a note that says nothing but what to do: `Renew the passport`. */
export function errandOf(text: string): readonly string[] | null {
  return isErrand(text) ? wordsOf(text) : null;
}

function wordsOf(task: string): readonly string[] | null {
  if (SEVERAL.test(task) || LIST.test(task)) return null;
  const words = plainWords(task).filter(isOfTask);
  return words.length < 2 ? null : words;
}

function isOfTask(word: string): boolean {
  const isTime = /\p{N}/u.test(word) || isOfCalendar(word);
  return !isTime && isContentWord(word) && !LEXICONS[languageOf(word)].free.has(word);
}

/** Whether a text may say that its speaker has done something. */
export function reportsDone(text: string): boolean {
  const report = reportIn(text);
  if (report === null) return false;
  if (HAN.test(text)) return BY_SPEAKER.zh.test(text) && DONE_HAN.test(text);
  const { language, keys } = report;
  if (SETTLED.test(text)) return true;
  const hasPast = [...keys.values()].some((word) => isPastForm(word, language));
  return BY_SPEAKER[language].test(text) && hasPast;
}

/**
 * Whether the speaker has certainly done a task: the report has the verb of the task, and goes to
 * nobody else. `The report is finished` does not send it.
 */
export function isCertainlyDone(task: string, text: string): boolean {
  const words = taskOf(task) ?? errandOf(task);
  if (words === null || !reportsDone(text) || !isDone(words, text)) return false;
  if (areForOthers(task, text)) return false;
  const report = reportIn(text);
  if (report === null || HAN.test(text) || SETTLED.test(text)) return true;
  const { language, keys } = report;
  const verb = (language === 'de' ? words.at(-1) : words[0]) ?? '';
  return isPast(keys.get(keyOf(verb, language)), verb, language);
}

/** The person or group that something goes to. */
const TO_WHOM = /(?<!\p{L})(?:to|an|a|al)\s(?<who>\p{Lu}[\p{L}\p{M}’-]+)/u;

function areForOthers(one: string, other: string): boolean {
  const [mine, theirs] = [one, other].map((text) => TO_WHOM.exec(text)?.groups?.['who']);
  const isOther = mine !== undefined && theirs !== undefined && mine !== theirs;
  return isOther || nameDifferentPeople(one, other);
}

/** Whether a later text says that a task is done. */
export function isDone(task: readonly string[], text: string): boolean {
  const report = reportIn(text);
  if (report === null) return false;
  if (task.some((word) => HAN.test(word))) return isDoneHan(task, text);
  const { language, keys, saysDone } = report;
  // The verb is first, or last in German.
  const verb = (language === 'de' ? task.at(-1) : task[0]) ?? '';
  const others = task.filter((word) => word !== verb);
  const shared = others.filter((word) => keys.has(keyOf(word, language))).length;
  if (shared === 0 || shared < others.length * SHARED_SHARE_MIN) return false;
  return saysDone || isPast(keys.get(keyOf(verb, language)), verb, language);
}

interface Report {
  readonly language: Language;
  /** Its words, by what forms of one word have in common. */
  readonly keys: ReadonlyMap<string, string>;
  readonly saysDone: boolean;
}

/**
 * Cache of what a text may report as done, which is compared with task after task; at most about
 * 32 MB. Null if the text says that something is not done.
 */
const reportIn = memoized(
  (text): Report | null => {
    if (NOT_DONE.test(text)) return null;
    const language = languageOf(text);
    const keys = new Map(
      plainWords(text).flatMap((word) => keysOfForm(word, language).map((key) => [key, word])),
    );
    return { language, keys, saysDone: DONE.test(text) };
  },
  { entriesMax: 2_048, unitsMax: 1_024 },
);

/** Whether a text says that something is not, or not yet, so. */
export function saysNotDone(text: string): boolean {
  return NOT_DONE.test(text);
}

/** Whether a word is a verb in a form of the past. */
export function isPastForm(word: string, language: Language): boolean {
  return (PAST[language] ?? PAST_EN).test(word);
}

function isPast(word: string | undefined, verb: string, language: Language): boolean {
  if (word === undefined || word === verb) return false;
  // Its verb tells that `ponderé` is past, but not `enviaré`.
  if (language === 'es' && word.endsWith('ré') && verb.startsWith(infinitiveAr(word))) return true;
  return PAST[language]?.test(word) ?? !EN_PRESENT.test(word);
}

/** Returns what the forms of one word have in common: `sent` and `send`. */
export function keyOf(word: string, language: Language): string {
  const { plain, stem } = LEXICONS[language];
  const own = stem(word);
  const key = plain.get(word) ?? plain.get(own) ?? own;
  return language === 'de' ? key.replace(PARTICIPLE_DE, '$<prefix>$<verb>') : key;
}

/** Returns the keys that a form may have: `retiré` is past by `retirar`, or else ahead. */
export function keysOfForm(word: string, language: Language): readonly string[] {
  const key = keyOf(word, language);
  if (language !== 'es' || !word.endsWith('ré')) return [key];
  return [key, keyOf(infinitiveAr(word), language)];
}

/** Returns the infinitive of a form in `é` if it is past: `retirar` of `retiré`. */
function infinitiveAr(word: string): string {
  return `${word.slice(0, -1)}ar`;
}

/** `abgeschickt` of `abschicken`, `bezahlt` of `bezahlen`. */
const PARTICIPLE_DE =
  /^(?<prefix>ab|an|auf|aus|ein|mit|nach|um|vor|weg|zu|zurück)?(?:ge)?(?<verb>\p{L}{3,}?)t?$/u;

function isDoneHan(task: readonly string[], text: string): boolean {
  if (!DONE_HAN.test(text)) return false;
  const shared = task.filter((pair) => text.includes(pair)).length;
  // `交电费` and `电费交了` share few pairs, but all characters.
  const characters = task.flatMap((pair) => pair.match(/./gu) ?? []);
  return shared >= task.length * HAN_SHARE_MIN || characters.every((each) => text.includes(each));
}

/**
 * Finds the task that a text sets, and whether another text says that it is done, in English,
 * German, Spanish and Chinese: `Ann must send the plan to Ben` is over with `Ann sent the plan`.
 * A list of tasks and a task that returns do not end.
 */
import { LEXICONS } from '../grounding/lexicon/lexicons.ts';
import { languageOf, type Language } from '../text/language.ts';
import { monthOf, weekdayOf } from '../text/calendar-word.ts';
import { memoized } from '../text/memoized.ts';
import { oneOf } from '../text/pattern.ts';
import { isContentWord, plainWords } from '../text/words.ts';
import { isErrand } from './task-signs.ts';

const WORDS_OF_TASK = String.raw`
  open task:, to-?do:, must, (?:has|have|needs?|remember|forget) to, offene Aufgabe:, muss, müssen,
  tarea pendiente:, (?:tiene|tengo|tenemos|hay) que, debe
`;
const SETS_TASK = new RegExp(
  String.raw`^.*(?:(?<!\p{L})${oneOf(WORDS_OF_TASK)}\s|(?:待办：|要|得|需要|记得))` +
    String.raw`(?<task>.+)$`,
  'iu',
);
/** A list of tasks, of which one may be left, or a task that returns. */
const SEVERAL = new RegExp(
  String.raw`(?<!\p{L})${oneOf(`
    and, or, und, oder, y, o, every, each, daily, weekly, monthly, always, jeden?, jede[rs]?,
    täglich, wöchentlich, immer, cada, siempre, todos los
  `)}(?!\p{L})|[;、和并每]`,
  'iu',
);
/** A comma within a date is followed by a capital or a number. */
const LIST = /,\s\p{Ll}/u;
const DONE = new RegExp(
  String.raw`(?<!\p{L})${oneOf(`
    done, finished, sorted, erledigt, fertig, raus, abgeschlossen, hech[oa], list[oa], terminad[oa]
  `)}(?!\p{L})|完成|办好|好了`,
  'iu',
);
/** The words that may still be ahead, or never were: `has not sent`, `will send`, `almost sent`. */
const NOT_DONE = new RegExp(
  String.raw`(?<!\p{L})${oneOf(`
    not, never, no, will, would, should, must, (?:has|have|needs?|going) to, if, when, almost, half,
    nicht, kein\\p{L}*, nie, wird, werde, würde, soll, sollte, muss,
    wenn, fast, nunca, va, voy, debe, que, si, cuando, casi,
    still, noch, todavía, until, forgot
  `)}(?!\p{L})|n['’]t(?!\p{L})|[?？没不未要将会如]`,
  'iu',
);
/** Verb forms of the past, by language; a form that is also the infinitive is none. */
const PAST: Readonly<Partial<Record<Language, RegExp>>> = {
  de: /ge\p{L}+(?:t|en)$|^(?:be|ver|er|ent|zer)\p{L}+(?:t|en)$|\p{L}te$/u,
  es: /(?:[óé]|ado|ido|aron|ieron|amos|imos|hizo|hice|puso|puse)$/u,
};
/** `sends`, `sending`: not of the past, unless the word of the task itself ends so. */
const EN_PRESENT = /(?:s|ing)$/u;
/** Share of the words beside the verb that the other text repeats. */
const SHARED_SHARE_MIN = 0.5;
const HAN = /\p{Script=Han}/u;
/** Chinese is compared by pairs of characters, some of which join other words. */
const HAN_SHARE_MIN = 0.6;

/** Returns the words of the one task that a text sets; null if it sets none, or several. */
export function taskOf(text: string): readonly string[] | null {
  const task = SETS_TASK.exec(text)?.groups?.['task'];
  return task === undefined || /[?？]\s*$/u.test(text) ? null : wordsOf(task);
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
  const isTime =
    /\p{N}/u.test(word) || monthOf(word) !== undefined || weekdayOf(word) !== undefined;
  return !isTime && isContentWord(word) && !LEXICONS[languageOf(word)].free.has(word);
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
    const keys = new Map(plainWords(text).map((word) => [keyOf(word, language), word]));
    return { language, keys, saysDone: DONE.test(text) };
  },
  { entriesMax: 2_048, unitsMax: 1_024 },
);

function isPast(word: string | undefined, verb: string, language: Language): boolean {
  if (word === undefined || word === verb) return false;
  return PAST[language]?.test(word) ?? !EN_PRESENT.test(word);
}

function keyOf(word: string, language: Language): string {
  const { plain, stem } = LEXICONS[language];
  const own = stem(word);
  const key = plain.get(word) ?? plain.get(own) ?? own;
  return language === 'de' ? key.replace(PARTICIPLE_DE, '$<prefix>$<verb>') : key;
}

/** `abgeschickt` of `abschicken`, `bezahlt` of `bezahlen`. */
const PARTICIPLE_DE =
  /^(?<prefix>ab|an|auf|aus|ein|mit|nach|um|vor|weg|zu|zurück)?(?:ge)?(?<verb>\p{L}{3,}?)t?$/u;

function isDoneHan(task: readonly string[], text: string): boolean {
  if (!/了|完成/u.test(text)) return false;
  const shared = task.filter((pair) => text.includes(pair)).length;
  return shared >= task.length * HAN_SHARE_MIN;
}

/**
 * Finds plain statements that no rule of a topic reads: `I run a bakery in Porto`, `My daughter
 * turns 6 in March`, `The budget for the kitchen is 12,000 euros`. They are kept as they are said,
 * and end nothing; a correction may end them like any other memory.
 */
import { dependsOnPrevious } from '../text/dependent-sentence.ts';
import type { Language } from '../text/language.ts';
import { anyOf, anyWord } from '../text/pattern.ts';
import { isQuestion } from '../text/question.ts';
import { plainWords } from '../text/words.ts';
import { mayQuote } from './others-words/quotations.ts';
import { isPassing } from './passing-remarks.ts';
import { PLAIN_STATEMENT_WORDS } from './plain-statement-words.ts';

/** A part of a sentence that neither asks nor requests anything. */
export interface Stretch {
  readonly text: string;
  /** Whether it states a plain statement. */
  readonly statesSomething: boolean;
}

/** What a stretch ends with that says nothing: punctuation, and a word that joins the next. */
const LOOSE_END = /(?:[\s,，;；:：(（–—-]|\s(?:(?<!nicht\s)so|and|but|because|und|aber|y|pero))+$/u;
const FULL_STOP = /[\s.!。！]+$/u;
/** A laugh or a word for a joke: the clauses beside it are no facts either. */
const JOKES = anyOf(
  anyWord(String.raw`
    lol, (?:ha){2,}\p{L}*, (?:ja){2,}\p{L}*, jk, kidding, joking, yeah right, scherz, spaß,
    schön wär\p{L}*, broma, es coña
  `),
  '哈哈|嘿嘿|开玩笑|逗你',
);
/** A line of a program or of its log: `for i in range(10): print("I live in Rome")`. */
const CODE = new RegExp(
  String.raw`[{}]|\p{L}\(\)|(?<![\p{L}\d])\p{L}\w{2,}\((?!s\)|in\)|n\)|r\))[^)\s]*\)|` +
    String.raw`[\p{L}\w]\s?[=!]=?\s?["'\d[]|;\s*$|(?<!\p{L})SELECT\s.+\sFROM\s|=>|->|::|</\w|` +
    String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d|` +
    String.raw`(?<!\p{L})(?:INFO|WARN|ERROR|DEBUG|TRACE|FATAL|TODO|FIXME)(?!\p{L})|^\s*//`,
  'u',
);
/** Asks for what the clause before names: `A haiku about rain, please`. */
const PLEASE = /^(?:please|pls|plz|bitte|por favor|porfa)$/iu;
/** A number, or a name: a word with a capital that does not begin the clause. */
const NAMED = new RegExp(
  String.raw`\d|(?<=[\p{L}\p{N},'’] )(?!I(?!\p{L}))\p{Lu}|\p{L}\.\p{L}{2,}(?:[\s/.]|$)|` +
    '[一二三四五六七八九十百]+[月日号点万千块岁年个家只]',
  'u',
);
/** German nouns have capitals. */
const NUMBERED = /\d|(?<=(?:in|aus|bei|nach|namens|heißt|heiße|von|Frau|Herr|Dr\.) )\p{Lu}/u;

/** What somebody is, by name: `Helen is diabetic`. */
const OF_PERSON = /^\p{Lu}\p{Ll}[\p{L}\p{M}-]+ (?:is|ist|está|es)(?!\p{L})/u;

/** Fewer words without a name or a number say little: `I whine`. */
const OWN_WORDS_MIN = 3;
/** Where a question mark at the end of a sentence is looked for. */
const LAST_MARK_UNITS = 3;
const ASKED = /[?？:：]\s*$/u;
/** A clause that depends on the one before. */
const IS_TIED =
  /^(?:that|because|so (?:that )?(?:I|we|you)|dass|damit|weil|que|porque|als ob)(?!\p{L})|^因为/iu;
const JOINT = /^(?:(?:and|but|so|und|aber|also|y|pero) |而且|但是?|所以|也)/iu;

/**
 * Returns the stretches of a sentence between its questions, requests and conditions: `I take 50 mg
 * every morning, is coffee ok?` states one before it asks. Nothing after a wish, a condition or
 * what somebody says counts, unless a `but` begins it. A condition at the end stays with what it
 * restricts; an end that puts all in doubt, such as `said my neighbor`, leaves no stretch.
 */
export function stretchesOf(said: string, language: Language): readonly Stretch[] {
  const words = PLAIN_STATEMENT_WORDS[language];
  const greeted = said.replace(words.opening, '');
  const sentence = greeted.replace(words.remember, '');
  const isToRemember = sentence !== greeted;
  const clauses = clausesOf(sentence, words.clauseEnd);
  if (CODE.test(said)) return [];
  const isJoke = JOKES.test(said) && !JOKES.test(sentence);
  const last = clauses.at(-1);
  const ending = last?.text ?? '';
  const isDoubted = isJoke || words.doubt.test(ending.replace(/[?？]+$/u, ''));
  const isConditional = !ASKED.test(last?.mark ?? '') && words.condition.test(ending);
  const stated = isDoubted ? [] : areStated(clauses, language, isToRemember);
  const runs: Clause[][] = [];
  for (const [place, clause] of clauses.entries()) {
    if (stated[place] !== true) continue;
    if (place > 0 && stated[place - 1] === true) runs.at(-1)?.push(clause);
    else runs.push([clause]);
  }
  return runs.flatMap((run) => {
    const start = run[0]?.start ?? 0;
    const text = sentence.slice(start, run.at(-1)?.end).replace(LOOSE_END, '');
    if (text === '') return [];
    const parts = [...run.map((clause) => clause.text), text.replace(FULL_STOP, '')];
    const statesSomething = isToRemember || parts.some((part) => isPlainStatement(part, language));
    // `so if` begins anew.
    const isBare = !/\p{L}/u.test(sentence.slice(start + text.length, last?.start));
    const isRestricted = isConditional && run.at(-1) === clauses.at(-2) && isBare;
    const whole = isRestricted ? sentence.slice(start).replace(LOOSE_END, '') : text;
    return [{ text: whole, statesSomething }];
  });
}

/** Names a text of others before a colon: `From the FAQ`. */
const OF_OTHERS = anyOf(
  anyWord(`
    faq, ad, article, review, reddit, forum, lyrics, prompt, example, headline, quote, listing,
    anzeige, artikel, rezension, beispiel, liedtext, anuncio, artículo, reseña, ejemplo
  `),
  '广告|文章|评论|帖子|歌词|例如|比如',
);
/**
 * Returns the sentence, or what it states beside its question: `They doubled my dose, is it safe?`
 */
export function beforeQuestion(sentence: string, language: Language): readonly string[] {
  if (!isQuestion(sentence)) return [sentence];
  if (!PARTED.test(sentence)) return [];
  return stretchesOf(sentence, language).map(({ text }) => text);
}

const PARTED = /[,;…–—()，；。]/u;

/** For each clause of a sentence, whether it states something in earnest. */
function areStated(
  clauses: readonly Clause[],
  language: Language,
  isToRemember: boolean,
): readonly boolean[] {
  const { but, asks, ofMoment, own, state } = PLAIN_STATEMENT_WORDS[language];
  const isJoke = clauses.map(({ text }) => JOKES.test(text));
  let isOver = false;
  let isAside = false;
  return clauses.map(({ text, mark }, place) => {
    if (but.test(text)) isOver = false;
    if (!isToRemember && isPassing(text, language)) isOver = true;
    const isAsked = ASKED.test(mark) && place === clauses.length - 1;
    const isNamed = PLEASE.test(clauses[place + 1]?.text ?? '') && !own.test(text);
    const isRequest = isAsked || isNamed || asks.test(text);
    // `Send it to Mill Lane, York instead`: without a verb of state, it goes on.
    const isRequested = isAside && asks.test(clauses[place - 1]?.text ?? '');
    isAside =
      isRequest ||
      isJoke.slice(Math.max(place - 1, 0), place + 2).includes(true) ||
      (isAside && IS_TIED.test(text)) ||
      (isRequested && !own.test(text) && !state.test(text)) ||
      (!isToRemember && ofMoment.test(text));
    const isStated = !isOver && !isAside;
    // What follows is a text to work on: `Continue: I live in a castle`.
    if ((isRequest || OF_OTHERS.test(text)) && /^[:：]/u.test(mark)) isOver = true;
    return isStated;
  });
}

function isPlainStatement(clause: string, language: Language): boolean {
  const { own, subject, fleeting, lasting, past, event, state } = PLAIN_STATEMENT_WORDS[language];
  const isOwn = own.test(clause);
  if (mayQuote(clause)) return false;
  if (event.test(clause)) return true;
  if ((isOwn || OF_PERSON.test(clause)) && lasting.test(clause)) return !past.test(clause);
  if (past.test(clause) || dependsOnPrevious(clause.replace(JOINT, ''))) return false;
  const isNamed = (language === 'de' ? NUMBERED : NAMED).test(clause);
  if (isNamed) return isOwn || state.test(clause);
  const isSubject = isOwn && subject.test(clause) && !fleeting.test(clause);
  return isSubject && plainWords(clause).length >= OWN_WORDS_MIN;
}

interface Clause {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** What ends it: `,`, or the rest of the sentence behind its last word. */
  readonly mark: string;
}

/** Splits a sentence where its clauses end. */
function clausesOf(sentence: string, end: RegExp): readonly Clause[] {
  const marks = [...sentence.matchAll(end)];
  const starts = [0, ...marks.map(({ index, 0: mark }) => index + mark.length)];
  return starts.map((start, place) => {
    const next = starts[place + 1] ?? sentence.length;
    const whole = sentence.slice(start, next);
    const text = whole.replace(LOOSE_END, '').replace(FULL_STOP, '');
    const mark = marks[place]?.[0] ?? whole.slice(-LAST_MARK_UNITS);
    return { text, start, end: next, mark };
  });
}

/** Whether a sentence says how the assistant is to answer from now on. */
export function isStandingRequest(sentence: string, language: Language): boolean {
  const { opening, standing } = PLAIN_STATEMENT_WORDS[language];
  return standing.test(sentence.replace(opening, ''));
}

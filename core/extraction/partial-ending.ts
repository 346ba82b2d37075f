/**
 * Tells whether a text says more than what a newer one ends: `I live in Bristol, and my daughter
 * goes to Elm School` is ended only in part by `I moved to Bath`.
 */
import { isOfCalendar, TIMES_OF_DAY } from '../text/calendar-words.ts';
import type { Language } from '../text/language.ts';
import { oneOf } from '../text/pattern.ts';
import { saysNothing } from '../text/small-talk.ts';
import { wordSet } from '../text/word-lists.ts';
import { isContentWord, plainWords } from '../text/words.ts';
import { STEMS } from './statement.ts';

/** The content of a text, as stems. */
export interface TextParts {
  /** By sentence, and within it by what `and`, `with my` or a relative clause joins. */
  readonly parts: readonly (readonly string[])[];
}

/** What joins two things that are said in one sentence. */
const JOINTS = new RegExp(
  String.raw`(?<!\p{L})${oneOf(`
    and, plus, as well as, but, so, that['’]s why, deshalb, deswegen, daher, por eso, así que,
    with (?:my|our|his|her|their), und, sowie, aber,
    mit (?:mein|unser|sein|ihr)\\p{L}*, y, e, pero, además, con (?:mis?|sus?|nuestr[oa]s?)
  `)}(?!\p{L})|,\s(?:who|whose|which|where|wo|deren|dessen|que|quien|donde)(?!\p{L})|` +
    String.raw`[;&；，、]|(?<=\p{Script=Han}),|[和跟与及]|以及|而且|并且|所以|因此`,
  'giu',
);

/** A comma or a dash before a lower-case word, which may be a verb without a subject. */
const COMMA = /(?:,|\s[-–—])\s+(?=(?<next>\p{Ll}[\p{L}’']*))/gu;
/** Words that go on about the same thing: `I live in Leeds, near the station`. */
const GOES_ON = wordSet(`
  near nearby close next right just about around behind opposite outside north south east west
  full part temporarily currently unfortunately actually sadly thanks please formerly originally
  mostly mainly usually almost yes
  nahe nähe gleich direkt mitten neben hinter gegenüber außerhalb nördlich südlich zurzeit derzeit
  leider eigentlich übrigens endlich weil obwohl damit seit seitdem
  cerca junto justo frente detrás al fuera actualmente por lástima gracias aunque porque desde
`);

const HAN = /^\p{Script=Han}/u;
/** A pair of Chinese characters with one of these is no word. */
const HAN_GRAMMAR = /[的了我你您他她它们在就不也都吗呢吧啊把这那很还没对给从到是有会要]/u;
/** Digits, or the half of a day behind them. */
const NUMBERED = /^(?:\p{N}|[ap]m$)/u;

export function partsOf(sentences: readonly string[], language: Language): TextParts {
  const said = sentences.filter((each) => !saysNothing(each));
  const parts = said.flatMap((sentence) => sentence.split(JOINTS)).flatMap(splitAtVerbs);
  return { parts: parts.map((part) => stemsIn(part, language)).filter(({ length }) => length > 0) };
}

function splitAtVerbs(part: string): readonly string[] {
  const ends = [...part.matchAll(COMMA)].filter(({ groups }) => mayBeVerb(groups?.['next'] ?? ''));
  const starts = [0, ...ends.map(({ index }) => index)];
  return starts.map((start, at) => part.slice(start, starts[at + 1]));
}

function mayBeVerb(word: string): boolean {
  return COMMON_VERBS.has(word) || (isContentWord(word) && !GOES_ON.has(word));
}

/** Verbs that say too little to be content words. */
const COMMON_VERBS = wordSet(`
  am have take need want see go do make bin habe mag muss soy estoy tengo hago voy
`);

function stemsIn(part: string, language: Language): readonly string[] {
  const words = plainWords(part).filter((word) => isContentWord(word) && !isTime(word));
  return words.filter((word) => !(HAN.test(word) && HAN_GRAMMAR.test(word))).map(STEMS[language]);
}

/** Whether a word gives a time; the times of one thing change together. */
function isTime(word: string): boolean {
  return isOfCalendar(word) || NUMBERED.test(word) || TIMES_OF_DAY.has(word);
}

/**
 * Whether the older text has a part that a newer one, which ends something in it, leaves as it is.
 * @param namesEnded whether the newer text names what has ended, and no value in its place
 */
export function saysMore(older: TextParts, newer: TextParts, namesEnded: boolean): boolean {
  const { parts } = older;
  if (parts.length < 2) return false;
  const said = new Set(newer.parts.flat());
  const isSaid = (stem: string): boolean => said.has(stem);
  const untouched = parts.filter((part) => !part.some(isSaid));
  // One of them may hold the value that is replaced.
  if (untouched.length > 0) return untouched.length > 1 || untouched.length < parts.length;
  return namesEnded && parts.some((part) => part.every(isSaid)) && !parts.flat().every(isSaid);
}

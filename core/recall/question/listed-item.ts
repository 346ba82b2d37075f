/**
 * Finds one item of a list by its number: `What was the fourth one?`, `Which stood in fifth place?`
 * An item seldom has a word of the question, as the words are in the request or in the heading.
 */
import { monthOf } from '../../text/calendar-words.ts';
import { plainWords } from '../../text/words.ts';

/** By number, from 1: ordinals of English, German, Spanish and French, without their endings. */
const ORDINALS: readonly (readonly string[])[] = [
  'first 1st erste primer premier première',
  'second 2nd zweite segund deuxième',
  'third 3rd dritte tercer troisième',
  'fourth 4th vierte cuart quatrième',
  'fifth 5th fünfte quint cinquième',
  'sixth 6th sechste sext sixième',
  'seventh 7th siebte siebente séptim septième',
  'eighth 8th achte octav huitième',
  'ninth 9th neunte noven neuvième',
  'tenth 10th zehnte décim dixième',
].map((forms) => forms.split(' '));
const ENDINGS: readonly string[] = ['', 'r', 'n', 's', 'm', 'o', 'a', 'e'];

/** By number, from 1: what stands behind `number`, and behind 第 in Chinese. */
const CARDINALS: readonly (readonly string[])[] = [
  '1 one eins uno un 一',
  '2 two zwei dos deux 二',
  '3 three drei tres trois 三',
  '4 four vier cuatro quatre 四',
  '5 five fünf cinco cinq 五',
  '6 six sechs seis 六',
  '7 seven sieben siete sept 七',
  '8 eight acht ocho huit 八',
  '9 nine neun nueve neuf 九',
  '10 ten zehn diez dix 十',
].map((forms) => forms.split(' '));
const NUMBER: ReadonlySet<string> = new Set(
  'number no nr nummer punkt número numéro item point'.split(' '),
);

/** Things that are numbered themselves: `the second week`. */
const NUMBERED_THINGS: ReadonlySet<string> = new Set(
  `time floor grade day week month year quarter name mal tag woche monat stock vez día semana piso
  fois jour semaine`.split(/\s+/u),
);
const HAN_ORDINAL = /第(?<number>[一二三四五六七八九十]|\d{1,2})(?![十天次周月年章季届期])/u;

/** Returns the number of the item that a question asks for, from 1; null if it asks for none. */
export function askedItem(question: string): number | null {
  const words = plainWords(question);
  const found = words
    .map((word, at) => numberAt(words, word, at))
    .findLast((each) => each !== null);
  if (found !== undefined) return found;
  const { number } = HAN_ORDINAL.exec(question)?.groups ?? {};
  return number === undefined ? null : placeIn(CARDINALS, (forms) => forms.includes(number));
}

/** Whether a question names an item by a number alone: `What was number three?`. */
export function isNumberAsked(question: string): boolean {
  return NUMBER_ASKED.test(question);
}

const NUMBER_ASKED = new RegExp(
  String.raw`\bnumber (?:\d{1,2}|${CARDINALS.map(([, name]) => name).join('|')})` +
    String.raw`(?:\?| on | of | in )`,
  'iu',
);

function numberAt(words: readonly string[], word: string, at: number): number | null {
  if (NUMBER.has(words[at - 1] ?? '')) return placeIn(CARDINALS, (forms) => forms.includes(word));
  const [next = '', last = ''] = words.slice(at + 1);
  if (NUMBERED_THINGS.has(next) || (next === 'of' && monthOf(last) !== null)) return null;
  return placeIn(ORDINALS, (forms) =>
    forms.some((form) => ENDINGS.some((ending) => word === form + ending)),
  );
}

function placeIn(
  all: readonly (readonly string[])[],
  has: (forms: readonly string[]) => boolean,
): number | null {
  const at = all.findIndex(has);
  return at === -1 ? null : at + 1;
}

/** An item with its number: `4. `, `**4)`, or the first cell of a table. */
const NUMBERED_ITEM =
  /^\s*(?:[-*•]\s+)?(?:\*\*|#{1,6}\s+|\|\s*)?(?<number>\d{1,2})(?:[.)．、:]|\s*\|)/u;
const BULLET = /^\s*[-*•]\s+\S/u;

/** Returns the place of an item among the passages of a turn, by number or order; -1 if none is. */
export function placeOfItem(passages: readonly string[], item: number): number {
  const numbered = passages.findIndex(
    (text) => Number(NUMBERED_ITEM.exec(text)?.groups?.['number']) === item,
  );
  if (numbered !== -1) return numbered;
  const bullets = passages.flatMap((text, at) => (BULLET.test(text) ? [at] : []));
  return bullets[item - 1] ?? -1;
}

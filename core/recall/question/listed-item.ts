/**
 * Finds one item of a list by its number: `What was the fourth one?`, `Which stood in fifth place?`
 * An item seldom has a word of the question, as the words are in the request or in the heading.
 */
import { monthOf } from '../../text/calendar-words.ts';
import { withDigits } from '../../text/chinese-numerals.ts';
import { cardinalOf, ordinalOf } from '../../text/number-word.ts';
import { plainWords } from '../../text/words.ts';

/**
 * By number, from 1: ordinals of German, Spanish and French. Endings: `=` stands for the German
 * ones, `*` for the Spanish ones.
 */
const ORDINALS: readonly RegExp[] = [
  'erst= primer* premier première',
  'zweit= segund* seconde deuxième',
  'dritt= tercer* troisième',
  'viert= cuart* quatrième',
  'fünft= quint* cinquième',
  'sechst= sext* sixième',
  'siebt= siebent= séptim* septième',
  'acht= octav* huitième',
  'neunt= noven* neuvième',
  'zehnt= décim* dixième',
].map((forms) => {
  const ended = forms.replaceAll('=', 'e[rnsm]?').replaceAll('*', '[oa]?');
  return new RegExp(`^(?:${ended.replaceAll(' ', '|')})$`, 'u');
});
const NUMERIC_ORDINAL = /^(?<number>\d{1,2})(?:st|nd|rd|th|e|er|re|ère|ème|o|a)$/u;
/** `der 3. Tipp`: the period is no part of a word. */
const GERMAN_ORDINAL = /\b(?:d(?:er|ie|as|e[nm])|deine?[nmrs]?|am|zum) \d{1,2}(?=\. \p{L})/giu;

/** By number, from 1: what stands behind `numéro`. */
const FRENCH: readonly string[] = 'un deux trois quatre cinq six sept huit neuf dix'.split(' ');
/** Words before a number in digits or letters. */
const NUMBERED = words(`number nummer número numéro item punkt punto point step schritt paso
  étape option opción tip tipp consejo conseil`);
/** Words before a number in digits. */
const NUMBERED_IN_DIGITS = words('no nr n place platz puesto rank');

/** Things that are numbered themselves: `the second week`. */
const NUMBERED_THINGS = words(`time floor grade class day week month year quarter century half
  name hand aid party person language world order opinion mal tag woche monat jahr stock
  stockwerk etage klasse hälfte
  vez día semana mes año piso planta grado mitad fois jour semaine mois étage année classe`);
/** Words before an ordinal that is not of the list: `my first job`, `Anna's first`, `a third`. */
const NOT_OF_LIST = new RegExp(
  String.raw`^(?:\d+|s|a|at|per|one|une?|una|eine?[nmrs]?|(?:mein|unser)e?[nmrs]?|` +
    'my|our|his|her|their|mis?|nuestr[oa]|mon|ma|notre)$',
  'u',
);
/** Ordinals that are other words too count only after an article: `When did you first say so?` */
const DOUBTFUL = /^(?:achten?|primer[oa]?|first|second)$/u;
const ARTICLE =
  /^(?:the|your|in|d(?:er|ie|as|e[nm])|deine?[nmrs]?|el|la|del|en|tu|su|le|ta|ton|votre)$/u;

const HAN_DIGITS = '一二三四五六七八九';
const HAN_ORDINAL = new RegExp(
  String.raw`第(?<number>[${HAN_DIGITS}十]{1,3}|\d{1,2})` +
    String.raw`(?![${HAN_DIGITS}十\d天次周月年章季届期层楼节代]|个?(?:星期|礼拜|月))`,
  'u',
);

/** Returns the number of the item that a question asks for, from 1; null if it asks for none. */
export function askedItem(question: string): number | null {
  const said = plainWords(question.replaceAll('#', ' no ').replace(GERMAN_ORDINAL, '$&e'));
  const found = said.map((_, at) => numberAt(said, at)).findLast((each) => each !== null);
  if (found !== undefined) return found;
  const { number } = HAN_ORDINAL.exec(question)?.groups ?? {};
  return number === undefined ? null : numberOf(number);
}

/** Whether a question names an item by a number alone: `What was number three?`. */
export function isNumberAsked(question: string): boolean {
  const { number } = NUMBER_ASKED.exec(question)?.groups ?? {};
  return number !== undefined && (/^\d/u.test(number) || cardinalAt(number) !== null);
}

const NUMBER_ASKED = new RegExp(
  String.raw`\b(?:what|which)(?: one)? (?:was|is|were) number (?<number>\d{1,2}|[a-z]{3,9})` +
    String.raw`(?:\?| on | of | in )`,
  'iu',
);

function numberAt(said: readonly string[], at: number): number | null {
  const [word = '', next = '', last = ''] = said.slice(at, at + 3);
  const before = said[at - 1] ?? '';
  if (/^\d{1,2}$/u.test(word)) {
    return NUMBERED.has(before) || NUMBERED_IN_DIGITS.has(before) ? Number(word) : null;
  }
  if (NUMBERED.has(before)) return cardinalAt(word);
  const { number } = NUMERIC_ORDINAL.exec(word)?.groups ?? {};
  const ordinal =
    number === undefined
      ? (ordinalOf(word) ?? placeIn(ORDINALS, (form) => form.test(word)))
      : Number(number);
  if (ordinal === null || NOT_OF_LIST.test(before) || NUMBERED_THINGS.has(next)) return null;
  if (DOUBTFUL.test(word) && !ARTICLE.test(before)) return null;
  const month = next === 'of' || next === 'de' ? last : next;
  return [before, month].some((each) => monthOf(each) !== undefined) ? null : ordinal;
}

function cardinalAt(word: string): number | null {
  return cardinalOf(word.toLowerCase()) ?? placeIn(FRENCH, (each) => each === word);
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/u));
}

function placeIn<Entry>(all: readonly Entry[], has: (entry: Entry) => boolean): number | null {
  const at = all.findIndex(has);
  return at === -1 ? null : at + 1;
}

/** Reads digits, circled digits or a Chinese numeral. */
function numberOf(numeral: string): number {
  return Number(withDigits(numeral.normalize('NFKC')));
}

/**
 * A line with its number: `4. `, `**4)`, `### 4`, `(4)`, `Step 4:`, `4️⃣`, `四、`, `④`, or the first
 * cell of a table; no time, decimal or range.
 */
const NUMBERED_LINE = new RegExp(
  String.raw`^(?:[\s>*_]{0,4}#{1,6}\s?|[-\s>|*_+•(（]{0,8})[*_]{0,3}` +
    String.raw`(?:(?:\p{L}{2,20}\.?\s)?(?<number>\d{1,2}|[${HAN_DIGITS}十]{1,3})[*_]{0,3}` +
    String.raw`(?:\s?\\?[.)．、:：）](?!\d)|\s+[-–—]\s+(?!\d)|\uFE0F?\u20E3|\s*\|)|` +
    String.raw`第(?<han>\d{1,2}|[${HAN_DIGITS}十]{1,3})\p{Script=Han}?\s?[、:：，.]|` +
    String.raw`(?<circled>[①-⑳])|(?<=#\s?[*_]{0,3})(?<headed>\d{1,2})\s)`,
  'u',
);
const BULLET =
  /^[\s>]{0,8}(?<form>(?:[-*+–•●▪]|\p{Extended_Pictographic}\uFE0F?)\s+(?:\*\*)?)[^\s*]/u;

/** Lists of this many levels are followed, since the indentation of a passage is not known. */
const LEVELS_MAX = 3;

interface NumberedList {
  /** Number of its first item. */
  readonly from: number;
  /** Places of the passages in which its items begin. */
  readonly places: number[];
}

interface Line {
  readonly text: string;
  /** Place of its passage. */
  readonly place: number;
}

/**
 * Returns the place of an item among the passages of a turn, by number or order; -1 if none is.
 * Code does not count.
 */
export function placeOfItem(passages: readonly string[], item: number): number {
  const lines = passages.flatMap((passage, place) =>
    passage.startsWith('```') ? [] : passage.split('\n').map((text) => ({ text, place })),
  );
  const lists = numberedLists(lines);
  const counted = lists.filter(({ from }) => from === 1);
  const continued = lists.filter(({ from, places }) => from !== 1 && places.length > 1);
  for (const { from, places } of [...counted, ...continued]) {
    const place = places[item - from];
    if (place !== undefined) return place;
  }
  // Bullets are below the numbers then.
  if (counted.some(({ places }) => places.length > 1)) return -1;
  const bullets = lines.flatMap(({ text, place }) => {
    const form = BULLET.exec(text)?.groups?.['form'];
    return form === undefined ? [] : [{ form, place }];
  });
  // Items below others mostly have another form: `- **Rome**`, and below it `- two days`.
  return bullets.filter(({ form }) => form === bullets[0]?.form)[item - 1]?.place ?? -1;
}

/** Returns the lists in the order of their first items; one may stand in an item of another. */
function numberedLists(lines: readonly Line[]): readonly NumberedList[] {
  const lists: NumberedList[] = [];
  let open: readonly NumberedList[] = [];
  for (const { text, place } of lines) {
    const { number, han, circled, headed } = NUMBERED_LINE.exec(text)?.groups ?? {};
    const numeral = number ?? han ?? circled ?? headed;
    if (numeral === undefined) continue;
    const count = numberOf(numeral);
    const at = open.findLastIndex(({ from, places }) => from + places.length === count);
    if (at === -1) {
      const list = { from: count, places: [place] };
      lists.push(list);
      open = [...open, list].slice(-LEVELS_MAX);
    } else {
      open[at]?.places.push(place);
      open = open.slice(0, at + 1);
    }
  }
  return lists;
}

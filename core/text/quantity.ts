/** Quantities: numbers in digits and words, with their units. */
import { cardinalOf, magnitudeOf, ordinalOf } from './number-word.ts';
import {
  PERIODIC,
  rateAt,
  type Rate,
  isLetterUnit,
  rateUnitsOf,
  unitsOf,
  type Unit,
} from './units-of-measure.ts';
import { stem } from './stem.ts';
import { lowerAt, type Token } from './words-and-marks.ts';
import { numberByWord, wordSet } from './word-lists.ts';

export interface Quantity {
  /** The text as written, for what is no single number, such as a version. */
  readonly raw: string;
  /** Several if separators are ambiguous: `1,200` may be 1200 or 1.2. */
  readonly values: readonly number[];
  /** Several if the word is ambiguous; empty without a unit. */
  readonly units: readonly Unit[];
  /** The unit of a rate, such as the hour of `50 km/h`; empty if it is no rate. */
  readonly per: readonly Unit[];
  /** The stem of the word that is counted; empty if a unit or nothing follows. */
  readonly noun: string;
  readonly isWord: boolean;
  readonly isOrdinal: boolean;
  /** Whether the text says that it is approximate: `roughly`, `over`, `almost`. */
  readonly isRough: boolean;
  /** Separate numbers that it may be instead, as in `1 200`. */
  readonly parts: readonly number[];
  readonly length: number;
}

type Reading = Pick<Quantity, 'values' | 'parts' | 'isWord' | 'isOrdinal' | 'length'>;

/** Returns the quantity that begins at a token, or null. */
export function quantityAt(tokens: readonly Token[], index: number): Quantity | null {
  const sign = signAt(tokens, index);
  const currency = moneyBefore(tokens, index + sign);
  const start = index + sign + (currency === null ? 0 : currency.length);
  const read = numberAt(tokens, start);
  if (read === null) return null;
  const whole = multiplied(tokens, start, read);
  const counted = start + whole.length;
  const unit = currency ?? unitAt(tokens, counted, whole.isWord);
  const units = unit?.units ?? [];
  const measured = counted + (currency === null ? (unit?.length ?? 0) : 0);
  const [halved, halfLength] = units.length === 0 ? [0, 0] : shareAfter(tokens, measured);
  const end = measured + halfLength;
  const noun = units.length === 0 ? nounAt(tokens, counted) : '';
  const isBare = units.length === 0 && noun === '' && tokens[index]?.kind === 'Word';
  const zeroLength = unit?.isDegree === true ? zeroAfter(tokens, end) : 0;
  const isBelow = zeroLength > 0 || (sign > 0 && (unit?.isDegree === true || isBare));
  if (sign > 0 && !isBelow) return null;
  const rate = rateOf(tokens, end, unit);
  const before = lowerAt(tokens, index - 1);
  return {
    raw: tokens[start]?.text ?? '',
    values: whole.values.map((value) => (isBelow ? -value : value + halved)),
    parts: whole.parts,
    units,
    per: rate.per.length === 0 && PERIODIC.test(before) ? unitsOf(before) : rate.per,
    noun,
    isWord: whole.isWord,
    isOrdinal: whole.isOrdinal,
    isRough: ROUGH.has(before) || before === 'than',
    length: end + zeroLength + rate.length - index,
  };
}

/** Returns the unit of a single amount that begins at a token: `a week`, `per month`, `daily`. */
export function singleUnitAt(tokens: readonly Token[], index: number): readonly Unit[] {
  const word = lowerAt(tokens, index);
  const led = /^(?:an?|per|each|every|pro|\/)$/u.test(word) ? lowerAt(tokens, index + 1) : '';
  const name = led === '' && PERIODIC.test(word) ? word : led;
  // `A second opinion` and `a minute change` name no times.
  if (name === '' || isLetterUnit(name) || /^(?:second|minute)$/u.test(name)) return [];
  return unitsOf(name).filter(({ dimension }) => dimension === 'duration');
}

/** Returns how many tokens make the number after them negative: `minus`, and `-` in `-5 °C`. */
function signAt(tokens: readonly Token[], index: number): number {
  const [before, sign, number] = [tokens[index - 1], tokens[index], tokens[index + 1]];
  if (before?.kind === 'Number' || number === undefined) return 0;
  if (sign?.text === '-') {
    const isApart = !sign.glued || !/[\p{Script=Latin}-]$/u.test(before?.text ?? '');
    return number.kind === 'Number' && number.glued && isApart ? 1 : 0;
  }
  // `Al menos 5` means at least 5.
  const isLeast = /^(?:al|lo)$/u.test(before?.lower ?? '');
  return /^(?:minus|menos)$/u.test(sign?.lower ?? '') && !isLeast ? 1 : 0;
}

/** Returns how many tokens say `below zero` after degrees: `5 degrees below zero`. */
function zeroAfter(tokens: readonly Token[], index: number): number {
  const words = `${lowerAt(tokens, index)} ${lowerAt(tokens, index + 1)}`;
  return /^(?:below|unter|bajo) (?:zero|null|cero)$/u.test(words) ? 2 : 0;
}

function rateOf(tokens: readonly Token[], end: number, unit: ReadUnit | null): Rate {
  if (unit?.per !== undefined && unit.per.length > 0) return { per: unit.per, length: 0 };
  if (unit !== null && unit.units.length > 0) return rateAt(tokens, end, false) ?? NO_RATE;
  const isNoun = tokens[end]?.kind === 'Word';
  const rate = rateAt(tokens, end, true) ?? (isNoun ? rateAt(tokens, end + 1, true) : null);
  // The rate takes no tokens, as the noun before it is read as a word of its own.
  return { ...(rate ?? NO_RATE), length: 0 };
}

const NO_RATE: Rate = { per: [], length: 0 };

const ROUGH = wordSet(`
  about around roughly approximately approx nearly almost over under circa ca ~ ≈ some above below
  etwa rund fast ungefähr knapp gut
`);

function numberAt(tokens: readonly Token[], index: number): Reading | null {
  const token = tokens[index];
  if (token === undefined) return null;
  if (token.kind === 'Number') return literal(tokens, index, token);
  return token.kind === 'Word' ? spoken(tokens, index) : null;
}

function literal(tokens: readonly Token[], index: number, token: Token): Reading {
  const next = tokens[index + 1];
  const isOrdinal = next?.glued === true && /^(?:st|nd|rd|th)$/u.test(next.lower);
  const spaced = isOrdinal ? [] : spacedGroups(tokens, index);
  if (spaced.length > 0) {
    const parts = [token.text, ...spaced].map(Number);
    const values = [Number(token.text + spaced.join(''))];
    return { values, parts, isWord: false, isOrdinal, length: parts.length };
  }
  const values = literalValues(token.text);
  return { values, parts: [], isWord: false, isOrdinal, length: isOrdinal ? 2 : 1 };
}

/** Maximum groups of thousands that are separated by spaces. */
const GROUPS_MAX = 4;

function spacedGroups(tokens: readonly Token[], index: number): readonly string[] {
  const groups: string[] = [];
  if (!/^[1-9]\d{0,2}$/u.test(tokens[index]?.text ?? '')) return groups;
  for (let at = index + 1; groups.length < GROUPS_MAX; at += 1) {
    const token = tokens[at];
    if (token === undefined || token.glued || !/^\d{3}$/u.test(token.text)) break;
    groups.push(token.text);
  }
  return groups;
}

/** Returns what digits with separators may mean; empty for versions and addresses. */
function literalValues(text: string): readonly number[] {
  const plain = text.replaceAll("'", '');
  if (/^\d+$/u.test(plain)) return [Number(plain)];
  if (/^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/u.test(plain)) {
    const grouped = Number(plain.replaceAll(',', ''));
    return /^\d+,\d+$/u.test(plain) ? [grouped, Number(plain.replace(',', '.'))] : [grouped];
  }
  if (/^\d{1,3}(?:\.\d{3})+(?:,\d+)?$/u.test(plain)) {
    const grouped = Number(plain.replaceAll('.', '').replace(',', '.'));
    return /^\d+\.\d+$/u.test(plain) ? [Number(plain), grouped] : [grouped];
  }
  if (/^\d+[.,]\d+$/u.test(plain)) return [Number(plain.replace(',', '.'))];
  return [];
}

/** Maximum words of a number: nobody says a longer one. */
const WORDS_MAX = 16;

/** Reads `twelve hundred and five`, `twenty-first`, `two and a half`, `a hundred`. */
function spoken(tokens: readonly Token[], index: number): Reading | null {
  const first = lowerAt(tokens, index);
  if (first === 'half' && /^an?$/u.test(lowerAt(tokens, index + 1))) return half(tokens, index);
  const article = /^an?$/u.test(first);
  if (article && magnitudeOf(lowerAt(tokens, index + 1), false) === undefined) return null;
  let total = 0;
  let part = article ? 1 : 0;
  let at = index + (article ? 1 : 0);
  let read = article ? 1 : 0;
  let isOrdinal = false;
  for (; at < index + WORDS_MAX && !isOrdinal; at += 1) {
    const word = lowerAt(tokens, at);
    const cardinal = cardinalOf(word);
    const ordinal = ordinalOf(word);
    const magnitude = magnitudeOf(word, false);
    const joins = /^(?:and|y|-)$/u.test(word) && read > 0 && continues(tokens, at, part);
    if (cardinal !== undefined && fits(part, cardinal, read)) part += cardinal;
    else if (ordinal !== undefined && fits(part, ordinal, read)) {
      part += ordinal;
      isOrdinal = true;
    } else if (magnitude !== undefined && (read > 0 || word === 'mil')) {
      if (magnitude === 100) part = Math.max(part, 1) * 100;
      else {
        total += Math.max(part, 1) * magnitude;
        part = 0;
      }
      if (isShortened(tokens, at)) at += 1;
    } else if (!joins) break;
    read += 1;
  }
  if (read === 0) return null;
  const [share, shareLength] = shareAfter(tokens, at);
  // `Dos millones y medio` adds half a million.
  const scale = part === 0 ? (magnitudeOf(lowerAt(tokens, at - 1), false) ?? 1) : 1;
  return {
    values: [total + part + share * scale],
    parts: [],
    isWord: true,
    isOrdinal,
    length: at + shareLength - index,
  };
}

/** Whether a word continues a number: `twenty one`, `hundred twenty`, but not `two three`. */
function fits(part: number, next: number, read: number): boolean {
  if (read === 0 || part === 0) return true;
  return (part % 100 === 0 && next < 100) || (part % 100 >= 20 && part % 10 === 0 && next < 10);
}

function continues(tokens: readonly Token[], at: number, part: number): boolean {
  const word = lowerAt(tokens, at + 1);
  const next = cardinalOf(word) ?? ordinalOf(word);
  if (next === undefined) return false;
  return lowerAt(tokens, at) !== 'and'
    ? part % 100 >= 20 && part % 10 === 0 && next < 10
    : part >= 100 && part % 100 === 0 && next < 100;
}

function half(tokens: readonly Token[], index: number): Reading | null {
  const word = lowerAt(tokens, index + 2);
  if (magnitudeOf(word, false) === undefined && unitsOf(word).length === 0) return null;
  return { values: [0.5], parts: [], isWord: true, isOrdinal: false, length: 2 };
}

function multiplied(tokens: readonly Token[], start: number, read: Reading): Reading {
  if (read.isOrdinal) return read;
  const [share, shareLength] = read.isWord ? [0, 0] : shareAfter(tokens, start + read.length);
  let values = read.values.map((value) => value + share);
  let length = read.length + shareLength;
  let scale = 1;
  for (let step = 0; step < 2; step += 1) {
    const next = tokens[start + length];
    if (next === undefined) break;
    const suffix = next.glued && !read.isWord;
    const isK = /^k$/iu.test(next.text) && !read.isWord;
    const by = magnitudeOf(next.lower, suffix) ?? (isK ? 1e3 : undefined);
    if (by === undefined) break;
    // An `m` right after digits may mean million, meter or minute.
    if (next.lower === 'm')
      return { ...read, values: [...values, ...values.map((each) => each * by)], length };
    values = values.map((value) => Number((value * by).toPrecision(15)));
    scale *= by;
    length += isShortened(tokens, start + length) ? 2 : 1;
  }
  if (scale === 1) return { ...read, values, length };
  const [part, partLength] = shareAfter(tokens, start + length);
  return {
    ...read,
    values: values.map((value) => value + part * scale),
    length: length + partLength,
  };
}

/** Whether a period follows an abbreviation: `2 Mio. Euro`. */
function isShortened(tokens: readonly Token[], index: number): boolean {
  const [word, stop, next] = tokens.slice(index, index + 3);
  return (
    /^(?:mio|mrd|tsd|mill|mn|bn)$/u.test(word?.lower ?? '') &&
    stop?.text === '.' &&
    stop.glued &&
    (next?.kind === 'Word' || unitsOf(next?.lower ?? '').length > 0)
  );
}

interface ReadUnit {
  readonly units: readonly Unit[];
  readonly length: number;
  readonly per?: readonly Unit[];
  /** Whether it is a unit of temperature, which may be below zero. */
  readonly isDegree?: boolean;
}

function moneyBefore(tokens: readonly Token[], index: number): ReadUnit | null {
  const prefixed =
    /^(?:us|au|ca|nz)$/u.test(lowerAt(tokens, index)) && lowerAt(tokens, index + 1) === '$';
  const word = prefixed ? '$' : lowerAt(tokens, index);
  const length = prefixed ? 2 : 1;
  if (!/^(?:[$€£¥₹]|usd|eur|gbp|chf|jpy|inr|cny|rmb)$/u.test(word)) return null;
  return tokens[index + length]?.kind === 'Number' ? { units: unitsOf(word), length } : null;
}

function unitAt(tokens: readonly Token[], index: number, isWord: boolean): ReadUnit | null {
  const dash = lowerAt(tokens, index) === '-' && tokens[index + 1]?.kind === 'Word' ? 1 : 0;
  const at = index + dash;
  const word = lowerAt(tokens, at);
  const isOfMany =
    word === 'de' &&
    /^(?:mill[oó]n|millones|billones|medio|mill|\.)$/u.test(lowerAt(tokens, at - 1));
  const article = isOfMany || (isWord && /^an?$/u.test(word)) ? 1 : 0;
  if (/^(?:°|degrees?|grad|grados?|度)$/u.test(word)) {
    const scale = lowerAt(tokens, at + 1);
    const units = unitsOf(scale).filter(isScale);
    return { units, length: dash + (units.length === 0 ? 1 : 2), isDegree: true };
  }
  if (word === 'per' && lowerAt(tokens, at + 1).startsWith('cent')) {
    return { units: unitsOf('%'), length: dash + 2 };
  }
  if (/^(?:%|percent|percentage)$/u.test(word) && lowerAt(tokens, at + 1).startsWith('point')) {
    return { units: unitsOf('pp'), length: dash + 2 };
  }
  if (word === 'us' && /^(?:dollars?|\$)$/u.test(lowerAt(tokens, at + 1))) {
    return { units: unitsOf('$'), length: dash + 2 };
  }
  const name = lowerAt(tokens, at + article).replace(/'s?$/u, '');
  if (isWord && isLetterUnit(name)) return null;
  const [units, per] = rateUnitsOf(name);
  if (isAge(tokens, at + article)) return { units: [], length: dash + article + 1 };
  if (units.length === 0) return rangeUnit(tokens, index, isWord);
  return { units, length: dash + article + 1, per, isDegree: units.some(isScale) };
}

function isScale({ dimension }: Unit): boolean {
  return dimension === 'celsius' || dimension === 'fahrenheit';
}

/** Whether the words make an age, which people also say without a unit: `30 years old`. */
function isAge(tokens: readonly Token[], index: number): boolean {
  const skipped = lowerAt(tokens, index + 1) === '-' ? 2 : 1;
  return (
    /^years?$/u.test(lowerAt(tokens, index)) && /^olds?$/u.test(lowerAt(tokens, index + skipped))
  );
}

/** Returns the unit of a range's first number: the 5 of `5 to 10 km` is in kilometers too. */
function rangeUnit(tokens: readonly Token[], index: number, isWord: boolean): ReadUnit | null {
  if (!/^(?:-|to|and|or|bis|und|oder)$/u.test(lowerAt(tokens, index))) return null;
  const upper = numberAt(tokens, index + 1);
  if (upper === null || upper.isOrdinal) return null;
  const end = index + 1 + upper.length;
  const name = lowerAt(tokens, end + (lowerAt(tokens, end) === '-' ? 1 : 0));
  if (isAge(tokens, end + (lowerAt(tokens, end) === '-' ? 1 : 0))) return null;
  if (isWord && isLetterUnit(name)) return null;
  const units = unitsOf(name);
  return units.length === 0 ? null : { units, length: 0 };
}

/** Fractions after a whole: `an hour and a half`, `two and three quarters`. */
const SHARES = numberByWord({
  0.5: 'and a half, und eine halbe, und ein halbes, und ein halber, y media, y medio',
  0.25: 'and a quarter',
  0.75: 'and three quarters',
});

function shareAfter(tokens: readonly Token[], index: number): readonly [number, number] {
  const words = [0, 1, 2].map((offset) => lowerAt(tokens, index + offset));
  for (const length of [3, 2]) {
    const share = SHARES.get(words.slice(0, length).join(' '));
    if (share === undefined) continue;
    return lowerAt(tokens, index + length) === 'of' ? [0, 0] : [share, length];
  }
  return [0, 0];
}

function nounAt(tokens: readonly Token[], index: number): string {
  const at = lowerAt(tokens, index) === '-' ? index + 1 : index;
  const token = tokens[at];
  return token?.kind === 'Word' ? stem(token.lower) : '';
}

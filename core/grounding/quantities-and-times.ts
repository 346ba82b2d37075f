/** Measures: every quantity, day and time that a text names, and whether another supports them. */
import { dateOf, isSameDay, type NamedDay } from '../text/day.ts';
import { dayAt, type ReadDay } from '../text/day-reader.ts';
import type { Language } from '../text/language.ts';
import { quantityAt, singleUnitAt, type Quantity } from '../text/quantity.ts';
import { eachOf } from '../text/rate.ts';
import { timeAt, type ReadTime } from '../text/time-of-day.ts';
import { lowerAt, type Token } from '../text/token.ts';
import { isLetterUnit, isSameAmount, rateUnitsOf, type Unit } from '../text/unit.ts';

export interface Measures {
  readonly quantities: readonly Quantity[];
  readonly days: readonly ReadDay[];
  readonly times: readonly ReadTime[];
  /** Amounts of one: `a week`, `monthly`. */
  readonly singles: readonly Unit[];
  /** Units named anywhere, as dimension and factor; a rate may count by any word. */
  readonly unitNames: ReadonlySet<string>;
  /** Digits inside words: the 4 of `GPT4`. */
  readonly embedded: ReadonlySet<string>;
  /** Places of the tokens that belong to a quantity, a day or a time. */
  readonly taken: ReadonlySet<number>;
}

/** Reads a text once, from left to right; each token belongs to one measure at most. */
export function measuresOf(tokens: readonly Token[], language: Language): Measures {
  const quantities: Quantity[] = [];
  const days: ReadDay[] = [];
  const times: ReadTime[] = [];
  const singles: Unit[] = [];
  const unitNames = new Set<string>();
  const embedded = new Set<string>();
  const measured = new Set<number>();
  for (let index = 0; index < tokens.length;) {
    singles.push(...singleUnitAt(tokens, index));
    const day = dayAt(tokens, index);
    if (day !== null) days.push(day);
    const time = day === null || day.length === 0 ? timeAt(tokens, index) : null;
    if (time !== null) times.push(time);
    const taken = (day?.length ?? 0) + (time?.length ?? 0);
    // Spanish counts eleven with it, the others one time.
    const isOnce = language !== 'es' && lowerAt(tokens, index) === 'once';
    const quantity = taken === 0 && !isOnce ? quantityAt(tokens, index) : null;
    if (quantity !== null) quantities.push(quantity);
    const next = index + Math.max(1, taken + (quantity?.length ?? 0));
    const isSure = day?.doubtful !== true || taken > day.length || quantity !== null;
    if (isSure && taken + (quantity?.length ?? 0) > 0) {
      for (let at = index; at < next; at += 1) measured.add(at);
    }
    for (; index < next; index += 1) nameUnits(tokens, index, { unitNames, embedded });
  }
  return { quantities, days, times, singles, unitNames, embedded, taken: measured };
}

function nameUnits(
  tokens: readonly Token[],
  index: number,
  { unitNames, embedded }: { unitNames: Set<string>; embedded: Set<string> },
): void {
  const token = tokens[index];
  if (token === undefined || token.kind === 'Number') return;
  if (token.kind === 'Word') {
    for (const digits of token.text.match(/\d+/gu) ?? []) embedded.add(digits);
  }
  const name = token.lower.replace(/'s?$/u, '');
  if (isLetterUnit(name) && lowerAt(tokens, index - 1) !== '/') return;
  if (token.kind === 'Word') unitNames.add(keyOf(eachOf(name)));
  for (const unit of rateUnitsOf(name).flat()) unitNames.add(keyOf(unit));
}

function keyOf({ dimension, factor }: Unit): string {
  return `${dimension} ${String(factor)}`;
}

/** The measures of one source, beside the time that its relative days count from. */
export interface TimedMeasures {
  readonly measures: Measures;
  readonly at: number;
}

export type MeasureFailure = 'NumberNotInSource' | 'UnitNotInSource' | 'DateNotInSource';

/**
 * The first measure of a fact that no source supports, or null. A quantity for which `isDerived`
 * speaks was recomputed and needs no source that names it.
 */
export function unsupportedMeasure(
  fact: Measures,
  sources: readonly TimedMeasures[],
  isDerived: (quantity: Quantity) => boolean,
): MeasureFailure | null {
  for (const day of fact.days) {
    if (!day.doubtful && !isDaySupported(day, fact, sources)) return 'DateNotInSource';
  }
  for (const time of fact.times) {
    if (!isTimeSupported(time, sources)) return 'DateNotInSource';
  }
  for (const quantity of fact.quantities) {
    const failure = isDerived(quantity) ? null : unsupportedQuantity(quantity, fact, sources);
    if (failure !== null) return failure;
  }
  const digits = [...fact.embedded].every((text) => isNumberNamed(text, sources));
  if (!digits) return 'NumberNotInSource';
  return fact.singles.every((unit) => isSingleSupported(unit, sources)) ? null : 'UnitNotInSource';
}

function isDaySupported(
  { days }: ReadDay,
  fact: Measures,
  sources: readonly TimedMeasures[],
): boolean {
  return sources.some(({ measures, at }) => {
    const stated = measures.days.flatMap((source) => source.days);
    if (days.some((day) => stated.some((each) => isSameDay(day, each, at)))) return true;
    if (days.some((day) => isNumberOfDate(day, measures))) return true;
    // The day something was said on stands beside the text. It is no other day than the text names.
    const others = stated.filter((each) => !isSameDay(dateOf(at), each, at));
    const spare = others.every((each) =>
      fact.days.some((read) => read.days.some((day) => isSameDay(day, each, at))),
    );
    return spare && days.some((day) => isSameDay(day, dateOf(at), at));
  });
}

/** A lone year may stand in the source as a number. */
function isNumberOfDate(day: NamedDay, { quantities }: Measures): boolean {
  if (day.kind !== 'Date' || day.month !== undefined || day.year === undefined) return false;
  const { year } = day;
  return quantities.some(({ values }) => values.includes(year));
}

function isTimeSupported({ minutes }: ReadTime, sources: readonly TimedMeasures[]): boolean {
  return sources.some(
    ({ measures }) =>
      measures.times.some((time) => time.minutes.some((each) => minutes.includes(each))) ||
      minutes.some((minute) => isBareHour(minute, measures)),
  );
}

/** `at 3` may be 3 pm. */
function isBareHour(minute: number, { quantities }: Measures): boolean {
  const hour = minute / 60;
  return quantities.some(
    ({ values, units }) =>
      units.length === 0 && values.some((value) => value === hour || value + 12 === hour),
  );
}

function unsupportedQuantity(
  quantity: Quantity,
  fact: Measures,
  sources: readonly TimedMeasures[],
): MeasureFailure | null {
  if (isUnneeded(quantity, sources)) return null;
  let isNamed = false;
  for (const { measures } of sources) {
    for (const stated of measures.quantities) {
      const isRated = isRateSupported([quantity, fact], [stated, sources]);
      if (quantity.units.length > 0 && isRated && isSameMeasure(quantity, stated)) return null;
      if (!isSameNumber(quantity, stated)) continue;
      isNamed = true;
      if (isRated && hasSameRate(quantity, stated) && isUnitSupported(quantity, stated, measures))
        return null;
    }
    if (isOneOf(measures.singles, quantity)) return null;
    if (quantity.units.length === 0 && isOtherwiseNamed(quantity, measures)) return null;
  }
  if (quantity.units.length === 0 && isPartOfDay(quantity, sources)) return null;
  return isNamed ? 'UnitNotInSource' : 'NumberNotInSource';
}

/** `seven days` for `a week`. */
function isOneOf(singles: readonly Unit[], { values, units }: Quantity): boolean {
  return singles.some((single) =>
    units.some((unit) =>
      values.some((value) => isSameAmount({ value, unit }, { value: 1, unit: single })),
    ),
  );
}

/** `one` is a pronoun too, and a small number in words may count what a source lists. */
function isUnneeded(quantity: Quantity, sources: readonly TimedMeasures[]): boolean {
  const { values, isWord, isOrdinal, noun, units } = quantity;
  const value = values[0] ?? 0;
  if (!isWord || units.length > 0 || PARTS.test(noun)) return false;
  const all = sources.flatMap(({ measures }) => measures.quantities);
  // `Third, we …` counts the statements and not what they are about.
  if (isOrdinal && noun === '') return true;
  if (isOrdinal && value <= 2) {
    return !all.some(
      (stated) => stated.isOrdinal && stated.noun === noun && !isSameNumber(quantity, stated),
    );
  }
  if (value <= 1) return true;
  return (
    value <= COUNTED_MAX &&
    !isOrdinal &&
    all.every((stated) => stated.values[0] === 1 && stated.noun !== noun)
  );
}

/** Parts of a whole are no pieces of a list: two thirds of it are not one. */
const PARTS = /^(?:thirds?|quarters?|fifths?|drittel|viertel|fünftel|tercios?|cuartos?|quintos?)$/u;

/** The largest number in words that may be a count of what is listed. */
const COUNTED_MAX = 4;

function isSameNumber(fact: Quantity, source: Quantity): boolean {
  if (fact.values.length === 0 || source.values.length === 0) return fact.raw === source.raw;
  return fact.values.some(
    (value) =>
      source.values.includes(value) ||
      (fact.isRough && source.values.some((exact) => isRounded(value, exact))),
  );
}

/** Rounded to fewer digits than it had, either way: `about 1,200` for 1,203. */
function isRounded(rough: number, exact: number): boolean {
  const digits = rough
    .toString()
    .replace('.', '')
    .replace(/^0+|0+$/gu, '').length;
  if (digits === 0 || rough <= 0 || exact <= 0) return false;
  const step = 10 ** (Math.floor(Math.log10(rough)) + 1 - digits);
  if (Number.isInteger(exact / step)) return false;
  const down = Math.floor(exact / step) * step;
  return isClose(rough, down) || isClose(rough, down + step);
}

function isClose(one: number, other: number): boolean {
  return Math.abs(one - other) <= Math.abs(other) * 1e-9;
}

function isSameMeasure(fact: Quantity, source: Quantity): boolean {
  return comparable(fact, source).some((unit) =>
    comparable(source, fact).some((other) =>
      fact.values.some((value) =>
        source.values.some(
          (stated) =>
            isSameAmount({ value, unit }, { value: stated, unit: other }) ||
            (fact.isRough &&
              unit.dimension === other.dimension &&
              isRounded(value, (stated * other.factor) / unit.factor)),
        ),
      ),
    ),
  );
}

/**
 * `50 km` is not `50 km per hour`, unless the other text names the hour elsewhere: a monthly rent
 * of 900 euros is 900 euros per month.
 */
function isRateSupported(
  [quantity, fact]: readonly [Quantity, Measures],
  [stated, sources]: readonly [Quantity, readonly TimedMeasures[]],
): boolean {
  const isIn = (per: readonly Unit[], { unitNames }: Measures): boolean =>
    per.some((unit) => unitNames.has(keyOf(unit)));
  if (quantity.per.length === 0) return stated.per.length === 0 || isIn(stated.per, fact);
  if (stated.per.length === 0) return sources.some(({ measures }) => isIn(quantity.per, measures));
  return quantity.per.some((unit) =>
    stated.per.some(({ dimension }) => dimension === unit.dimension),
  );
}

/** Whether two rates count for each of the same; also where one of them is no rate. */
function hasSameRate({ per }: Quantity, stated: Quantity): boolean {
  if (per.length === 0 || stated.per.length === 0) return true;
  return per.some((unit) => stated.per.some((other) => keyOf(unit) === keyOf(other)));
}

/** The units that amounts are compared in: of a rate, what it makes for one of its dimension. */
function comparable({ units, per }: Quantity, other: Quantity): readonly Unit[] {
  const shared = per.find(({ dimension }) =>
    other.per.some((each) => each.dimension === dimension),
  );
  if (shared === undefined) return units;
  return units.map(({ dimension, factor }) => ({ dimension, factor: factor / shared.factor }));
}

function isUnitSupported(fact: Quantity, source: Quantity, measures: Measures): boolean {
  if (fact.units.length === 0 || fact.units.some(({ dimension }) => dimension === 'times'))
    return true;
  if (source.units.length > 0) return false;
  return fact.units.some((unit) => measures.unitNames.has(keyOf(unit)));
}

function isOtherwiseNamed({ values, parts, raw }: Quantity, measures: Measures): boolean {
  if (measures.embedded.has(raw)) return true;
  const numbers = new Set(measures.quantities.flatMap((stated) => stated.values));
  if (parts.length > 0 && parts.every((part) => numbers.has(part))) return true;
  return values.some((value) => measures.quantities.some(({ parts: own }) => own.includes(value)));
}

/**
 * A year, or the 3 of `on the 3rd`, may be part of a date in the sources. The year that something
 * was said in is meant only where they name no other.
 */
function isPartOfDay({ values, isOrdinal }: Quantity, sources: readonly TimedMeasures[]): boolean {
  const named = sources.flatMap(({ measures, at }) =>
    measures.days.flatMap(({ days }) => days.map((day) => ({ day, said: yearAt(at) }))),
  );
  if (isOrdinal)
    return named.some(({ day }) => day.kind === 'Date' && values.includes(day.day ?? 0));
  const numbers = sources.flatMap(({ measures }) =>
    measures.quantities.flatMap((each) => each.values),
  );
  const years = [
    ...numbers.filter(isYear),
    ...named.flatMap(({ day, said }) => {
      if (day.kind === 'Date') return day.year ?? [];
      return day.kind === 'Offset' && day.unit === 'year' ? said + day.count : [];
    }),
  ];
  const meant = years.length === 0 ? sources.map(({ at }) => yearAt(at)) : years;
  return values.some((value) => isYear(value) && meant.includes(value));
}

function yearAt(at: number): number {
  return new Date(at).getUTCFullYear();
}

function isYear(value: number): boolean {
  return value >= 1900 && value <= 2199;
}

function isNumberNamed(digits: string, sources: readonly TimedMeasures[]): boolean {
  const value = Number(digits);
  return sources.some(
    ({ measures }) =>
      measures.embedded.has(digits) ||
      measures.quantities.some(({ values, raw }) => raw === digits || values.includes(value)),
  );
}

/** `a month` is refused where the source says `a year` and no month at all. */
function isSingleSupported(unit: Unit, sources: readonly TimedMeasures[]): boolean {
  const all = sources.map(({ measures }) => measures);
  if (all.some(({ unitNames }) => unitNames.has(keyOf(unit)))) return true;
  const one = { value: 1, unit };
  const isStated = all.some(({ quantities }) =>
    quantities.some(({ values, units }) =>
      units.some((other) => values.some((value) => isSameAmount(one, { value, unit: other }))),
    ),
  );
  return (
    isStated ||
    !all.some(({ singles }) => singles.some((each) => each.dimension === unit.dimension))
  );
}

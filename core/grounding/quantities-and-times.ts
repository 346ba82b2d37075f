/** Reads measures (the quantities, days and times of a text), and whether sources support them. */
import { dateOf, isSameDay, type NamedDay } from '../text/day.ts';
import { dayAt, type ReadDay } from '../text/day-reader.ts';
import type { Language } from '../text/language.ts';
import { quantityAt, singleUnitAt, type Quantity } from '../text/quantity.ts';
import {
  eachOf,
  isLetterUnit,
  isSameAmount,
  rateUnitsOf,
  type Unit,
} from '../text/units-of-measure.ts';
import { timeAt, type ReadTime } from '../text/time-of-day.ts';
import { lowerAt, type Token } from '../text/words-and-marks.ts';

export interface Measures {
  readonly quantities: readonly Quantity[];
  readonly days: readonly ReadDay[];
  readonly times: readonly ReadTime[];
  /** Amounts of one: `a week`, `monthly`. */
  readonly singles: readonly Unit[];
  /** Keys of all units that the text names: a rate may be worded in any way. */
  readonly unitNames: ReadonlySet<string>;
  /** Digits inside words: the 4 of `GPT4`. */
  readonly embedded: ReadonlySet<string>;
  /** Places of tokens that belong to a quantity, a day or a time. */
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
    // `Once` means eleven in Spanish, and one time in English.
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

/** The measures of one source, with the time that its relative days count from. */
export interface TimedMeasures {
  readonly measures: Measures;
  readonly at: number;
}

type MeasureFailure = 'NumberNotInSource' | 'UnitNotInSource' | 'DateNotInSource';

/**
 * Returns why the first measure of a fact that no source supports fails, or null. A quantity needs
 * no source that names it if `isDerived` recomputes it.
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
    // The day when something was said supports a day, unless the text names another day.
    const others = stated.filter((each) => !isSameDay(dateOf(at), each, at));
    const spare = others.every((each) =>
      fact.days.some((read) => read.days.some((day) => isSameDay(day, each, at))),
    );
    return spare && days.some((day) => isSameDay(day, dateOf(at), at));
  });
}

/** Whether a year alone is in the source as a number. */
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

/** Whether a source has the hour as a bare number: `at 3` may be 3 pm. */
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

/** Whether a quantity equals one of a unit: `seven days` for `a week`. */
function isOneOf(singles: readonly Unit[], { values, units }: Quantity): boolean {
  return singles.some((single) =>
    units.some((unit) =>
      values.some((value) => isSameAmount({ value, unit }, { value: 1, unit: single })),
    ),
  );
}

/** Whether no source must name it: `one` may be a pronoun, and a small number may count a list. */
function isUnneeded(quantity: Quantity, sources: readonly TimedMeasures[]): boolean {
  const { values, isWord, isOrdinal, noun, units } = quantity;
  const value = values[0] ?? 0;
  if (!isWord || units.length > 0 || PARTS.test(noun)) return false;
  const all = sources.flatMap(({ measures }) => measures.quantities);
  // `Third, we …` counts statements, not things.
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

/** Names of fractions, which count no items of a list. */
const PARTS = /^(?:thirds?|quarters?|fifths?|drittel|viertel|fünftel|tercios?|cuartos?|quintos?)$/u;

/** The largest number in words that may count a list. */
const COUNTED_MAX = 4;

function isSameNumber(fact: Quantity, source: Quantity): boolean {
  if (fact.values.length === 0 || source.values.length === 0) return fact.raw === source.raw;
  return fact.values.some(
    (value) =>
      source.values.includes(value) ||
      (fact.isRough && source.values.some((exact) => isRounded(value, exact))),
  );
}

/** Whether a number is another one rounded up or down to fewer digits: `about 1,200` for 1,203. */
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
 * Whether the rates fit: `50 km` is not `50 km per hour`, unless the other text names the hour
 * elsewhere. A monthly rent of 900 euros is 900 euros per month.
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

/** Whether two rates are per the same unit; true if one of them is no rate. */
function hasSameRate({ per }: Quantity, stated: Quantity): boolean {
  if (per.length === 0 || stated.per.length === 0) return true;
  return per.some((unit) => stated.per.some((other) => keyOf(unit) === keyOf(other)));
}

/** Returns the units to compare amounts in; rates per the same dimension get a common base. */
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
 * Whether a number is part of a date in the sources: a year, or the 3 of `on the 3rd`. The year in
 * which something was said counts only if the sources name no other year.
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

/** Whether sources support one of a unit: `a month` fails if they only say `a year`. */
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

/** Checks derivations: numbers that no source names, but that code computes from the sources. */
import { DAY_MS } from '../duration.ts';
import type { Derivation } from '../records/summary.ts';
import type { Measures, TimedMeasures } from './quantities-and-times.ts';
import type { Quantity } from '../text/quantity.ts';
import type { Unit } from '../text/units-of-measure.ts';

export type DerivationOperation = Derivation['operation'];

/** Maximum distinct sums; with more, the sources have too many numbers to decide. */
const SUMS_MAX = 4_096;
/** Tolerance for results, which people round. */
const TOLERANCE = 0.005;
const DAY_SECONDS = 86_400;

/** Whether the operation on the numbers of the sources results in a quantity. */
export function isDerivedFrom(
  quantity: Quantity,
  operation: DerivationOperation,
  sources: readonly TimedMeasures[],
): boolean {
  return quantity.values.some((value) => {
    if (operation === 'count') return value === sources.length;
    if (operation === 'duration') return isDuration(value, quantity.units, sources);
    return isComputed(value, operation, operandsOf(quantity, sources));
  });
}

/** Returns a row per source: its numbers in the unit of the result. */
function operandsOf(
  { units, noun }: Quantity,
  sources: readonly TimedMeasures[],
): readonly (readonly number[])[] {
  return sources.map(({ measures }) => {
    const named = units.length > 0 ? [] : measures.quantities.filter((each) => each.noun === noun);
    const all = named.length > 0 && noun !== '' ? named : measures.quantities;
    return all.flatMap((each) => inUnit(each, units));
  });
}

function inUnit({ values, units }: Quantity, wanted: readonly Unit[]): readonly number[] {
  const value = values[0];
  if (value === undefined) return [];
  if (wanted.length === 0) return [value];
  for (const unit of wanted) {
    const own = units.find(({ dimension }) => dimension === unit.dimension);
    if (own !== undefined) return [(value * own.factor) / unit.factor];
  }
  return [];
}

function isComputed(
  value: number,
  operation: Exclude<DerivationOperation, 'count' | 'duration'>,
  rows: readonly (readonly number[])[],
): boolean {
  if (rows.some((row) => row.length === 0)) return false;
  const all = rows.flat();
  switch (operation) {
    case 'sum':
      return sumsOf(rows).some((sum) => isNear(sum, value));
    case 'average': {
      if (rows.length === 1) return isNear(total(all) / all.length, value);
      return sumsOf(rows).some((sum) => isNear(sum / rows.length, value));
    }
    case 'difference':
      return all.some((one) => all.some((other) => isNear(Math.abs(one - other), Math.abs(value))));
    case 'min':
      return isNear(Math.min(...rows.map((row) => Math.min(...row))), value);
    case 'max':
      return isNear(Math.max(...rows.map((row) => Math.max(...row))), value);
    default:
      return operation satisfies never;
  }
}

/** Returns possible sums: of all numbers of a single source, or of one number of each source. */
function sumsOf(rows: readonly (readonly number[])[]): readonly number[] {
  if (rows.length === 1) return [total(rows[0] ?? [])];
  let sums = [0];
  for (const row of rows) {
    const next = new Set(sums.flatMap((sum) => row.map((value) => sum + value)));
    if (next.size > SUMS_MAX) return [];
    sums = [...next];
  }
  return sums;
}

function isDuration(
  value: number,
  units: readonly Unit[],
  sources: readonly TimedMeasures[],
): boolean {
  const days = sources.flatMap(({ measures, at }) => datesOf(measures, at));
  const minutes = sources.flatMap(({ measures }) => measures.times.flatMap((time) => time.minutes));
  const gaps = [...gapsOf(days, DAY_SECONDS), ...gapsOf(minutes, 60)];
  return units
    .filter(({ dimension }) => dimension === 'duration')
    .some(({ factor }) => gaps.some((gap) => Math.abs(gap / factor - value) < WHOLE_UNIT_PART));
}

/** Maximum difference in units: `three weeks` may be 20 days, as people state whole units. */
const WHOLE_UNIT_PART = 0.5;
/** Maximum days or times whose gaps are compared; among more, no single duration is meant. */
const ENDS_MAX = 64;

function gapsOf(ends: readonly number[], seconds: number): readonly number[] {
  const few = ends.slice(0, ENDS_MAX);
  return few.flatMap((one) => few.map((other) => Math.abs(one - other) * seconds));
}

function datesOf({ days }: Measures, at: number): readonly number[] {
  const year = new Date(at).getUTCFullYear();
  const named = days.flatMap(({ days: each }) => each);
  const dates = named.flatMap((day) => {
    if (day.kind === 'Offset')
      return day.unit === 'day' ? [Math.floor(at / DAY_MS) + day.count] : [];
    if (day.kind !== 'Date' || day.month === undefined || day.day === undefined) return [];
    return [Date.UTC(day.year ?? year, day.month - 1, day.day) / DAY_MS];
  });
  return dates.length === 0 ? [Math.floor(at / DAY_MS)] : dates;
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function isNear(computed: number, stated: number): boolean {
  return Math.abs(computed - stated) <= Math.max(TOLERANCE, Math.abs(computed) * TOLERANCE);
}

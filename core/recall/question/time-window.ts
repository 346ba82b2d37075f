import { DAY_MS } from '../../duration.ts';

/** A time that a question asks about. */
export interface TimeWindow {
  /** Both inclusive, in milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  /** How much a turn inside is preferred, 0 to 1. Weights of overlapping windows add up. */
  readonly weight: number;
}

/** Returns how much windows prefer a time: 0 outside of all; 1 for every time if there are none. */
export function preferenceFor(at: number, windows: readonly TimeWindow[]): number {
  if (windows.length === 0) return 1;
  let preference = 0;
  for (const { from, to, weight } of windows) if (at >= from && at <= to) preference += weight;
  return preference;
}

/** How a question names a time; `at` is the asker's local time. */
export interface Reading {
  readonly pattern: RegExp;
  readonly windows: (match: readonly (string | undefined)[], at: number) => readonly TimeWindow[];
}

/**
 * Returns windows that prefer a named time, less the days around it, and least what was said from
 * the day before it until `until`: people announce what is to come, and tell later what happened.
 */
export function weightedWindows(
  { from, to }: { readonly from: number; readonly to: number },
  until: number,
  weight = 1,
): readonly TimeWindow[] {
  return [
    { from, to: to - 1, weight: 0.1 * weight },
    { from: from - DAY_MS, to: to + DAY_MS, weight: 0.5 * weight },
    { from: from - DAY_MS, to: until, weight: 0.4 * weight },
  ];
}

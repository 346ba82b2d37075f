/** Adds and removes marks at the end of texts that newer ones replace. */
import type { Ending } from '../extraction/compare-with-known.ts';
import type { Layer } from '../layer.ts';

/** Marks a text that a later one, which is shown too, replaces in whole or in part. */
export const EARLIER = ' (earlier)';
export const EARLIER_IN_PART = ' (in part earlier)';

/** How a text relates to newer ones. */
export interface Standing {
  /** How much of it newer texts end. */
  readonly ended: Ending;
  /** Other layers with a newer value, where no rule decides which one holds. */
  readonly newerIn: readonly Layer[];
}

export const HOLDS: Standing = { ended: 'None', newerIn: [] };

const MARK = /\s\((?:(?:in part )?earlier|newer: [a-z, ]+)\)$/u;

export function markOf({ ended, newerIn }: Standing): string {
  if (ended !== 'None') return ended === 'All' ? EARLIER : EARLIER_IN_PART;
  return newerIn.length === 0 ? '' : ` (newer: ${newerIn.join(', ')})`;
}

export function withoutEarlierMark(text: string): string {
  return text.replace(MARK, '');
}

/** Marks behind a text that a newer one replaces, and the texts without them. */
import type { Ending } from '../extraction/compare-with-known.ts';
import type { Layer } from '../layer.ts';

/** Marks what a later text replaces that is shown as well. */
export const EARLIER = ' (earlier)';
export const EARLIER_IN_PART = ' (in part earlier)';

/** How a text stands beside newer ones. */
export interface Standing {
  /** What newer ones end of it. */
  readonly ended: Ending;
  /** Other layers that have a newer value, of which none holds for certain. */
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

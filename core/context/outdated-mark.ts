/** Adds and removes marks at the end of texts that newer ones replace. */
import type { Ending } from '../extraction/compare-with-known.ts';
import type { Layer } from '../layer.ts';

/** Marks a text that a later one, which is shown too, replaces in whole or in part. */
export const EARLIER_MARK = ' (earlier)';
const EARLIER_IN_PART_MARK = ' (in part earlier)';

/** What a search says of a hit. */
interface HitMarks {
  readonly outdated: boolean;
  readonly outdatedInPart: boolean;
}

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
  if (ended !== 'None') return ended === 'All' ? EARLIER_MARK : EARLIER_IN_PART_MARK;
  return newerIn.length === 0 ? '' : ` (newer: ${newerIn.join(', ')})`;
}

/** Marks a text that one of a later day, which is shown too, may replace though no rule says so. */
export function mayBeEarlierMark(day: string): string {
  return ` (earlier? see ${day})`;
}

export function hitMarks(ended: Ending): HitMarks {
  return { outdated: ended === 'All', outdatedInPart: ended === 'Some' };
}

export function endedOf({ outdated, outdatedInPart }: HitMarks): Ending {
  if (outdated) return 'All';
  return outdatedInPart ? 'Some' : 'None';
}

/** Returns the mark behind a hit where it is shown as text. */
export function markOfHit(hit: HitMarks): string {
  return markOf({ ...HOLDS, ended: endedOf(hit) });
}

export function withoutOutdatedMark(text: string): string {
  return text.replace(MARK, '');
}

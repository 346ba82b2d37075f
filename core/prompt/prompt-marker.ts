/**
 * Data within a prompt. A marker is a digest that the author of a memory cannot know, and
 * it is taken out of any text that holds it all the same: no text can end its block or begin
 * another.
 */
import type { Digest } from '../hash.ts';
import { sourceDate, type Source } from '../sources/source.ts';
import { dayOf } from '../text/day.ts';

/** 96 bits: none appears by chance. */
const MARKER_DIGITS = 24;
/** Shorter than a marker in UTF-8, so that the bytes of a prompt do not grow by it. */
const TAKEN_OUT = '…';

/** What a prompt is made for, beside its sources. */
export interface PromptCall {
  readonly attemptId: string;
  readonly digest: Digest;
  /** In milliseconds since the epoch. */
  readonly now: number;
}

/** The first line of what a model is shown: "tomorrow" and "is to" are read by it. */
export function todayLine({ now }: PromptCall): string {
  return `Today is ${dayOf(now)}.`;
}

/** @param block names the block that it frames, within the call */
export function markerOf(
  block: string,
  { digest, attemptId }: Pick<PromptCall, 'digest' | 'attemptId'>,
): string {
  return digest(`${attemptId}\n${block}`).slice(0, MARKER_DIGITS);
}

export type AsData = (text: string) => string;

/** The markers of all blocks: a text that closes its neighbor's block does as much harm. */
export function withoutMarkers(markers: readonly string[]): AsData {
  if (markers.length === 0) return (text) => text;
  const any = new RegExp(markers.join('|'), 'giu');
  return (text) => text.replaceAll(any, TAKEN_OUT);
}

/**
 * Day and speaker of a source, and that it is not to be believed. As JSON: a name of many lines
 * would else begin one of its own.
 */
export function originOf(source: Source, asData: AsData): readonly string[] {
  const { speaker, trust } = source;
  return [
    sourceDate(source),
    ...(speaker === null ? [] : [JSON.stringify(asData(speaker))]),
    ...(trust === 'untrusted' ? ['untrusted'] : []),
  ];
}

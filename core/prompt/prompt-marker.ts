/**
 * Data within a prompt. A marker is a digest that the author of a memory cannot know. If a text
 * contains the marker anyway, it is removed, so that no text can end its block or begin another.
 */
import type { Digest } from '../hash.ts';
import { sourceDate, type Source } from '../sources/source.ts';
import { utcDayText } from '../text/day.ts';

/** 96 bits: no marker appears by chance. */
const MARKER_DIGITS = 24;
/** Shorter than a marker in UTF-8, so that a replacement never makes the prompt longer. */
const TAKEN_OUT = '…';

/** The input of a prompt besides its sources. */
export interface PromptCall {
  readonly attemptId: string;
  readonly digest: Digest;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Returns the first line of a prompt; the model needs it to read "tomorrow" and "is to". */
export function todayLine({ now }: PromptCall): string {
  return `Today is ${utcDayText(now)}.`;
}

/** @param block names the framed block within the call */
export function markerOf(
  block: string,
  { digest, attemptId }: Pick<PromptCall, 'digest' | 'attemptId'>,
): string {
  return digest(`${attemptId}\n${block}`).slice(0, MARKER_DIGITS);
}

export type AsData = (text: string) => string;

/** Removes the markers of all blocks, because a text could also close another block. */
export function withoutMarkers(markers: readonly string[]): AsData {
  if (markers.length === 0) return (text) => text;
  const any = new RegExp(markers.join('|'), 'giu');
  return (text) => text.replaceAll(any, TAKEN_OUT);
}

/**
 * Returns day and speaker of a source, and whether it is untrusted. The name is JSON, because a
 * name with several lines would otherwise begin a line of its own.
 */
export function originOf(source: Source, asData: AsData): readonly string[] {
  const { speaker, trust } = source;
  return [
    sourceDate(source),
    ...(speaker === null ? [] : [JSON.stringify(asData(speaker))]),
    ...(trust === 'untrusted' ? ['untrusted'] : []),
  ];
}

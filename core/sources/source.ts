/** A source: a memory or turn as the summarizer and grounding see it. */
import { shortenToUnits, utf8Bytes } from '../storable-text.ts';
import { expiryOf } from './memory-lifecycle.ts';
import { injectionRuleIn } from './prompt-injection.ts';
import { CONTENT_LENGTH_MAX, type Memory } from '../records/memory.ts';
import type { Trust } from '../trust.ts';
import type { Turn } from '../records/turn.ts';
import type { SaidAt } from '../said-at.ts';
import { dayOf, dayTextOf } from '../text/day.ts';

export interface Source extends SaidAt {
  readonly id: string;
  readonly kind: 'memory' | 'turn';
  /** Orders the sources of a scope: memories by id, then turns by sequence (`sourcePosition`). */
  readonly position: string;
  readonly text: string;
  readonly contentHash: string;
  /** cl100k tokens of the text. */
  readonly tokens: number;
  /** Length of the text in UTF-8 bytes. */
  readonly bytes: number;
  readonly speaker: string | null;
  /** The role of a turn's speaker: a named speaker is also a user or an assistant. */
  readonly role: string | null;
  readonly trust: Trust;
  readonly expiresAt: number | null;
}

/** Returns the source of a memory, cut to its beginning if long: one call reads several sources. */
export function memorySource(memory: Omit<Memory, 'vector'>): Source {
  const text = shortenToUnits(memory.content, CONTENT_LENGTH_MAX);
  const share = text.length / Math.max(1, memory.content.length);
  return {
    id: memory.id,
    kind: 'memory',
    position: memoryPosition(memory.id),
    text,
    contentHash: memoryHash(memory),
    tokens: Math.ceil(memory.tokenCount * share),
    bytes: utf8Bytes(text),
    at: memory.validFrom,
    utcOffset: memory.utcOffset,
    speaker: null,
    role: null,
    trust: memory.trust,
    expiresAt: expiryOf(memory),
  };
}

/**
 * A memory that is said again on another day has another hash, since prompts and summaries show its
 * day. On the same day, a model would be paid to say the same again.
 */
function memoryHash({
  contentHash,
  validFrom,
  utcOffset,
}: Pick<Memory, 'contentHash' | 'validFrom' | 'utcOffset'>): string {
  return `${contentHash}@${dayTextOf({ at: validFrom, utcOffset })}`;
}

/**
 * Whether the day of a statement is still to come. Later on the same day, it holds already: the
 * clocks of those who write and ask differ.
 */
export function isUpcoming(said: SaidAt, now: SaidAt): boolean {
  return said.at > now.at && dayOf(said) > dayOf(now);
}

/**
 * Returns the source of a memory at a time. Before its day, the memory has no text, so that no
 * summary says it, and expires on that day, so that summaries are then made again.
 */
export function memorySourceAt(memory: Omit<Memory, 'vector'>, now: number): Source {
  const source = memorySource(memory);
  const { at, expiresAt } = source;
  if (!isUpcoming(source, { at: now })) return source;
  return { ...source, text: '', expiresAt: Math.min(at, expiresAt ?? at) };
}

/**
 * A compacted turn remains a source: the quotes that facts rest on are kept. A turn that is held
 * back is a source without text.
 */
export function turnSource(turn: Turn): Source {
  const left = turn.compactedAt === null ? turn.content : turn.quotes.join('\n');
  const text = isHeldBack(turn) ? '' : left;
  return {
    id: turn.id,
    kind: 'turn',
    position: turnPosition(turn.sequence),
    text,
    contentHash: turnHash(turn),
    tokens: turn.tokenCount,
    bytes: utf8Bytes(text),
    at: turn.at,
    utcOffset: turn.utcOffset,
    speaker: turn.speaker ?? turn.role,
    role: turn.role,
    trust: turn.trust,
    expiresAt: null,
  };
}

type Reviewed = Pick<Turn, 'trust' | 'content' | 'contentHash' | 'review'>;

/**
 * Returns whether a source comes from an untrusted author and addresses its reader. A person's
 * decision on this exact text overrides the rules.
 */
export function isHeldBack({ trust, content, contentHash, review }: Reviewed): boolean {
  if (review?.contentHash === contentHash) return review.state === 'Refused';
  return trust === 'untrusted' && injectionRuleIn(content) !== null;
}

/** Approval changes what a turn says as a source, so texts made from it become stale. */
export function turnHash({ contentHash, review }: Pick<Turn, 'contentHash' | 'review'>): string {
  const isApproved = review?.state === 'Approved' && review.contentHash === contentHash;
  return isApproved ? `${contentHash}+approved` : contentHash;
}

/** Returns whether a source has text: a compacted turn that no fact cites has none left. */
export function hasText({ text }: Pick<Source, 'text'>): boolean {
  return text !== '';
}

/** Returns the speaker's day as texts show it after a statement: `(2026-11-03)`. */
export function sourceDate(said: SaidAt): string {
  return `(${dayTextOf(said)})`;
}

/** Returns the day from which a statement holds: `(from 2026-11-03)`. */
export function holdsFrom(said: SaidAt): string {
  return `(from ${dayTextOf(said)})`;
}

/**
 * Returns the day that a statement about "tomorrow" counts from: `(as of 2026-11-03)`. The bare day
 * would look like the day that the statement is about.
 */
export function countedFrom(said: SaidAt): string {
  return `(as of ${dayTextOf(said)})`;
}

/** Returns a sentence with the day it counts from, before its final stop. */
export function withCountedFrom(sentence: string, said: SaidAt): string {
  return sentence.replace(/[.!?…。！？]*$/u, (stop) => ` ${countedFrom(said)}${stop}`);
}

const SOURCE_DATE = String.raw`\s*\((?:(?:as of|from) )?\d{4}-\d{2}-\d{2}\)`;
const LAST_SOURCE_DATE = new RegExp(`${SOURCE_DATE}(?=[.!?…。！？]*$)`, 'u');
const SOURCE_DATES = new RegExp(SOURCE_DATE, 'gu');

/** Returns a text without the day that one of the functions above added. */
export function withoutSourceDate(text: string): string {
  return text.replace(LAST_SOURCE_DATE, '');
}

/** Whether the text ends with such a day. */
export function hasSourceDate(text: string): boolean {
  return LAST_SOURCE_DATE.test(text);
}

/** As `withoutSourceDate`, for a text that may have a day after each of its sentences. */
export function withoutSourceDates(text: string): string {
  return text.replace(SOURCE_DATES, '');
}

/** Wide enough for any session; sequences compare as texts only at equal width. */
const SEQUENCE_DIGITS = 12;

export function memoryPosition(id: string): string {
  return `m/${id}`;
}

export function turnPosition(sequence: number): string {
  return `t/${String(sequence).padStart(SEQUENCE_DIGITS, '0')}`;
}

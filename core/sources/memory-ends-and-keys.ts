/**
 * Decides how a memory ends in favor of another one, and what an addition under a key does to the
 * memories of the key: one that holds, and one whose day is to come. Before its day, a memory ends
 * no other one.
 */
import type { Memory } from '../records/memory.ts';
import { isLive } from './memory-lifecycle.ts';
import { isUpcoming } from './source.ts';

type Dated = Pick<Memory, 'id' | 'validFrom' | 'utcOffset'>;
export type End = Pick<Memory, 'state' | 'validTo' | 'supersededBy'>;

/** The end of a memory that none has ended. */
export const OPEN_END: End = { state: 'active', validTo: null, supersededBy: null };

/** Whether the day of a memory is still to come. */
export function isToCome({ validFrom, utcOffset }: Omit<Dated, 'id'>, now: number): boolean {
  return isUpcoming({ at: validFrom, utcOffset }, { at: now });
}

/** Whether another memory will end this one, or has done so without a write since. */
export function hasPlannedEnd({ state, supersededBy }: End): boolean {
  return state === 'active' && supersededBy !== null;
}

/**
 * Returns how a memory ends in favor of a newer one: at once, or, if the day of the newer one is to
 * come, on that day. Of two memories to come, the older never holds.
 */
export function endBy(older: Dated, newer: Dated, now: number): End {
  const isPlanned = isToCome(newer, now) && !isToCome(older, now);
  const state = isPlanned ? 'active' : 'superseded';
  return { state, validTo: newer.validFrom, supersededBy: newer.id };
}

/** The memories of a key. */
export interface Keyed<T> {
  readonly holds: T | null;
  readonly toCome: T | null;
  /** The one before, if `holds` has followed it on its day and no write has noted that yet. */
  readonly followed: T | null;
}

/**
 * Returns who has a key at `now`.
 * @param first the memory that the key names; it may have expired
 * @param next the active memory of the same key that ends the first one
 */
export function keyedAt<T extends Dated>(first: T | null, next: T | null, now: number): Keyed<T> {
  const nobody = { holds: null, toCome: null, followed: null };
  if (first === null) return nobody;
  if (next === null) return { ...nobody, [isToCome(first, now) ? 'toCome' : 'holds']: first };
  return isToCome(next, now)
    ? { ...nobody, holds: first, toCome: next }
    : { ...nobody, holds: next, followed: first };
}

interface KeyRules {
  readonly now: number;
  readonly onKey?: 'Refuse' | 'Unite' | 'Update';
  readonly supersedes?: readonly string[];
}

/** What an addition under a key does. */
export interface KeyedAddition<T> {
  /** The memory that it repeats or changes, or that refuses it; null if it becomes a new one. */
  readonly onto: T | null;
  /** The memory that keeps the key and that the new one ends on its day. */
  readonly ends: T | null;
  /** The memory that ends the new one: one to come, or the value of a later time. */
  readonly until: T | null;
}

type Held = Dated & Pick<Memory, 'state' | 'validTo' | 'expiresAt' | 'contentHash' | 'updatedAt'>;

/**
 * Decides what an addition does to the memories of its key. A value for a day to come replaces the
 * one that was planned before; one that was true earlier is only noted as history; any other
 * replaces the one that holds. Memories that the rules name give up their place.
 */
export function keyedAddition<T extends Held>(
  { holds, toCome }: Keyed<T>,
  memory: Dated & Pick<Memory, 'contentHash'>,
  { now, onKey, supersedes = [] }: KeyRules,
): KeyedAddition<T> {
  const staying = (held: T | null) =>
    held !== null && isLive(held, now) && !supersedes.includes(held.id) ? held : null;
  const [current, planned] = [staying(holds), staying(toCome)];
  const comes = isToCome(memory, now);
  if (!comes && current !== null && isEarlier(memory, current) && onKey === 'Update') {
    if (!isSameText(current, memory)) return { onto: null, ends: null, until: current };
  }
  const [same, other] = comes ? [planned, current] : [current, planned];
  const isOther = other !== null && (onKey !== 'Update' || isSameText(other, memory));
  const onto = same ?? (isOther ? other : null);
  if (onto !== null) return { onto, ends: null, until: null };
  return comes ? { onto, ends: current, until: null } : { onto, ends: null, until: planned };
}

/**
 * Whether a value was true before the one that holds. One that was written without a time holds
 * from its day on.
 */
function isEarlier(memory: Dated, held: Dated & Pick<Memory, 'updatedAt'>): boolean {
  const [one, other] = [memory, held].map(({ validFrom: at, utcOffset }) => ({ at, utcOffset }));
  const isEarlierDay = one !== undefined && other !== undefined && isUpcoming(other, one);
  return isEarlierDay || (memory.validFrom < held.validFrom && held.validFrom !== held.updatedAt);
}

function isSameText(
  a: Pick<Memory, 'contentHash'>,
  { contentHash }: Pick<Memory, 'contentHash'>,
): boolean {
  return a.contentHash === contentHash;
}

/** Whether an addition says what the memory of its key says; a planned value also has its day. */
export function isSameValue(
  known: Omit<Held, 'id'>,
  memory: Omit<Dated, 'id'> & Pick<Memory, 'contentHash'>,
  { now, onKey }: KeyRules,
): boolean {
  if (!isSameText(known, memory) || onKey === 'Refuse' || onKey === undefined) return false;
  const isMoved = known.validFrom !== memory.validFrom;
  const isPlan = isToCome(known, now) && isToCome(memory, now);
  return onKey === 'Unite' || !isPlan || !isMoved;
}

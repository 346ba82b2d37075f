/** The time that something was said, with the UTC offset of the speaker's clock. */

import { VarveError } from './errors.ts';

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;

/** When something was said, by the speaker's clock. */
export interface SaidAt {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Minutes that the speaker's clock was ahead of UTC; 0 if absent. */
  readonly utcOffset?: number | undefined;
}

/** The largest offset in ISO 8601, in minutes: 23:59. */
export const UTC_OFFSET_MAX = 1_439;

/** Returns the speaker's clock as if it were UTC, so that days can be counted in UTC. */
export function localTime({ at, utcOffset = 0 }: SaidAt): number {
  return at + utcOffset * MINUTE_MS;
}

const OFFSET = /(?<sign>[+-])(?<hours>\d{2}):?(?<minutes>\d{2})$/u;

/** Reads ISO 8601: a date and time with its offset, or a date, whose time is its start in UTC. */
export function saidAtOf(iso: string): SaidAt {
  const at = Date.parse(iso);
  const { sign, hours, minutes } = OFFSET.exec(iso)?.groups ?? {};
  const size = Number(hours ?? 0) * HOUR_MINUTES + Number(minutes ?? 0);
  return size === 0 ? { at } : { at, utcOffset: sign === '-' ? -size : size };
}

/** Formats the time as ISO 8601 with its offset. */
export function isoTime(said: SaidAt): string {
  const { utcOffset = 0 } = said;
  const size = Math.abs(utcOffset);
  const parts = [Math.floor(size / HOUR_MINUTES), size % HOUR_MINUTES].map((part) =>
    String(part).padStart(2, '0'),
  );
  const offset = size === 0 ? 'Z' : `${utcOffset < 0 ? '-' : '+'}${parts.join(':')}`;
  return new Date(localTime(said)).toISOString().replace('Z', offset);
}

/**
 * The furthest future time that is accepted. A statement dated later would count as the newest
 * until then. Some leeway is needed: replayed conversations may be dated after the clock, and
 * clocks may stop.
 */
const AHEAD_MS_MAX = 2 * 366 * 86_400_000;

/**
 * @param field the list that holds them; null for a single one
 * @throws VarveError INVALID_INPUT for the first time that is too far ahead of the clock
 */
export function requireSaidByNow(
  field: 'messages' | 'turns' | 'memories' | null,
  said: readonly { readonly at?: SaidAt | undefined }[],
  now: number,
): void {
  const index = said.findIndex(({ at }) => at !== undefined && at.at > now + AHEAD_MS_MAX);
  const found = said[index]?.at;
  if (found === undefined) return;
  const path = field === null ? 'at' : `${field}.${String(index)}.at`;
  const expected = 'expected when it was said, at most two years ahead of the clock of Varve';
  throw new VarveError('INVALID_INPUT', `${path}: ${expected}, found ${isoTime(found)}.`, {
    details: { issues: [{ path, expected }] },
  });
}

/** Smaller numbers are seconds: as milliseconds they would be before March 1973. */
export const MILLISECONDS_MIN = 1e11;

/** Finds the daily files that a dream reads, and which of their blocks are new (DREAM-01). */
import { dailyPath, dayOfPath } from '../memory-files/paths.ts';
import { SET_ASIDE_AT, type Document } from '../records/document.ts';

/**
 * Maximum daily files before the look-back to check for unread blocks: a month of nights on which
 * the budget was exhausted, or a proposal waited for a person.
 */
const EARLIER_FILES_MAX = 31;

/** Paths of later years do not sort by day. */
const DAY_LENGTH = 'YYYY-MM-DD'.length;

interface DailyFiles {
  /** Paths of the last `lookbackDays` daily files, oldest first. */
  readonly window: readonly string[];
  /** Paths of the earlier files to check, newest first. */
  readonly earlier: readonly string[];
}

/**
 * Returns the last daily files up to and including a day; days without a file do not count. Files
 * before `earlier` are never read, so a subject with years of imported days starts with its last
 * month.
 * @param day of the dream in its time zone, `YYYY-MM-DD`
 */
export function dailyFiles(
  paths: readonly string[],
  { day, lookbackDays }: { readonly day: string; readonly lookbackDays: number },
): DailyFiles {
  const last = dailyPath(day);
  const daily = [...new Set(paths)].filter((path) => isDailyPath(path) && path <= last).toSorted();
  const from = Math.max(0, daily.length - lookbackDays);
  return {
    window: daily.slice(from),
    earlier: daily.slice(Math.max(0, from - EARLIER_FILES_MAX), from).toReversed(),
  };
}

export function isDailyPath(path: string): boolean {
  return dayOfPath(path)?.length === DAY_LENGTH;
}

export interface DreamBlocks {
  /** Blocks with content that no dream has read, in order of time. */
  readonly fresh: readonly Document[];
  /** Blocks of the look-back that an earlier dream has read, in order of time. */
  readonly known: readonly Document[];
}

/**
 * Whether a block has content that no dream has processed, however old it is: it came after the
 * last dream of its day, found no room in it, or its proposal was not applied.
 */
export function isFresh({ lines, dreamedAt }: Pick<Document, 'lines' | 'dreamedAt'>): boolean {
  return dreamedAt === null && hasContent(lines);
}

/** Whether an earlier dream read a block, except blocks set aside, which would fail again. */
export function isKnown({ lines, dreamedAt }: Pick<Document, 'lines' | 'dreamedAt'>): boolean {
  return dreamedAt !== null && dreamedAt !== SET_ASIDE_AT && hasContent(lines);
}

function hasContent(lines: Document['lines']): boolean {
  return lines.some(({ text }) => text.trim() !== '');
}

/** Compares blocks by the order in which they were appended, across all files. */
export function byPlace(
  one: Pick<Document, 'path' | 'version'>,
  other: Pick<Document, 'path' | 'version'>,
): number {
  if (one.path !== other.path) return one.path < other.path ? -1 : 1;
  return one.version - other.version;
}

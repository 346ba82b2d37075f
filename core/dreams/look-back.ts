/** Which daily files a dream reads, and which of their blocks are new to it (DREAM-01). */
import { SET_ASIDE_AT, dailyPath, type Document } from '../records/document.ts';

/**
 * Daily files before the look-back that are looked at for blocks that no dream has read: a month
 * of nights on which the budget had ended, or a proposal waited for a person.
 */
const EARLIER_FILES_MAX = 31;

const DAILY_PATH = /^memory\/\d{4}-\d{2}-\d{2}\.md$/u;

export interface DailyFiles {
  /** Paths of the last `lookbackDays` daily files, oldest first. */
  readonly window: readonly string[];
  /** Paths of the files before them that are looked at, newest first. */
  readonly earlier: readonly string[];
}

/**
 * The last daily files that there are, up to and with that of a day: a day without a file is none.
 * What was never dreamed of before the earlier ones stays in its files: so a subject with years of
 * imported days begins with its last month.
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
  return DAILY_PATH.test(path);
}

export interface DreamBlocks {
  /** With content that no dream has read, in the order of time. */
  readonly fresh: readonly Document[];
  /** Of the look-back, read by an earlier dream; in the order of time. */
  readonly known: readonly Document[];
}

/**
 * Whether a block has content that no dream was done with, however long ago it was written: it came
 * after the last dream of its day, found no room in it, or its proposal was not applied.
 */
export function isFresh({ lines, dreamedAt }: Pick<Document, 'lines' | 'dreamedAt'>): boolean {
  return dreamedAt === null && hasContent(lines);
}

/** Whether it was read before; what was set aside would only confuse the next dream as well. */
export function isKnown({ lines, dreamedAt }: Pick<Document, 'lines' | 'dreamedAt'>): boolean {
  return dreamedAt !== null && dreamedAt !== SET_ASIDE_AT && hasContent(lines);
}

function hasContent(lines: Document['lines']): boolean {
  return lines.some(({ text }) => text.trim() !== '');
}

/** The order in which blocks were appended, over all files. */
export function byPlace(
  one: Pick<Document, 'path' | 'version'>,
  other: Pick<Document, 'path' | 'version'>,
): number {
  if (one.path !== other.path) return one.path < other.path ? -1 : 1;
  return one.version - other.version;
}

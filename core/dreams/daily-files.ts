/** Which daily files a dream reads, and which of their blocks are new to it (DREAM-01). */
import { dailyPath, type Document } from '../records/document.ts';

/**
 * Daily files before the look-back that are looked at for blocks that no dream has read: a month
 * of nights on which the budget had ended.
 */
const EARLIER_FILES_MAX = 31;

const DAILY_PATH = /^memory\/\d{4}-\d{2}-\d{2}\.md$/u;

export interface DailyFiles {
  /** Paths of the last `lookbackDays` daily files, oldest first. */
  readonly window: readonly string[];
  /** Paths of files before them, newest first: read on until `hasDreamed` says so of one. */
  readonly earlier: readonly string[];
}

/**
 * The last daily files that there are, up to and with that of a day: a day without a file is none.
 * @param day of the dream in its time zone, `YYYY-MM-DD`
 */
export function dailyFiles(
  paths: readonly string[],
  { day, lookbackDays }: { readonly day: string; readonly lookbackDays: number },
): DailyFiles {
  const last = dailyPath(day);
  const daily = [...new Set(paths)]
    .filter((path) => DAILY_PATH.test(path) && path <= last)
    .toSorted();
  const from = Math.max(0, daily.length - lookbackDays);
  return {
    window: daily.slice(from),
    earlier: daily.slice(Math.max(0, from - EARLIER_FILES_MAX), from).toReversed(),
  };
}

/** Whether a dream has read of a file: what is older was left out on purpose, or is done. */
export function hasDreamed(blocks: readonly Document[]): boolean {
  return blocks.some(({ dreamedAt }) => dreamedAt !== null);
}

export interface DreamBlocks {
  /** With content that no dream has read, in the order of time. */
  readonly fresh: readonly Document[];
  /** Of the look-back, read by an earlier dream. */
  readonly known: readonly Document[];
}

/**
 * The blocks that count. Those that came after the last dream, or found no room in it, are new
 * however long ago that was. A subject that has never dreamed begins with its look-back.
 * @param window blocks of the files of the window
 * @param earlier blocks file by file, newest file first, up to and with one that `hasDreamed`
 */
export function dreamBlocks(
  window: readonly Document[],
  earlier: readonly (readonly Document[])[],
): DreamBlocks {
  const end = earlier.findIndex(hasDreamed);
  const carried = end < 0 ? [] : earlier.slice(0, end + 1).flat();
  const read = [...carried, ...window].filter(({ lines }) =>
    lines.some(({ text }) => text.trim() !== ''),
  );
  const inOrder = read.toSorted(byPlace);
  const inWindow = new Set(window);
  return {
    fresh: inOrder.filter(({ dreamedAt }) => dreamedAt === null),
    known: inOrder.filter((block) => block.dreamedAt !== null && inWindow.has(block)),
  };
}

/** The order in which blocks were appended, over all files. */
export function byPlace(
  one: Pick<Document, 'path' | 'version'>,
  other: Pick<Document, 'path' | 'version'>,
): number {
  if (one.path !== other.path) return one.path < other.path ? -1 : 1;
  return one.version - other.version;
}

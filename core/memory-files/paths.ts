/** The paths of memory files, within the folder of their subject. */

export const MEMORY_PATH = 'MEMORY.md';
export const ARCHIVE_PATH = 'memory/archive.md';

const DAILY_PATH = /^memory\/(\d{4,}-\d{2}-\d{2})\.md$/u;

/** Returns the path of the daily file of a day, `YYYY-MM-DD`. */
export function dailyPath(day: string): string {
  return `memory/${day}.md`;
}

/** Returns the day of a daily file, `YYYY-MM-DD`; null for any other file. */
export function dayOfPath(path: string): string | null {
  return DAILY_PATH.exec(path)?.[1] ?? null;
}

/** Returns the path of the dream diary of a day, `YYYY-MM-DD`. */
export function diaryPath(day: string): string {
  return `memory/dreams/${day}.md`;
}

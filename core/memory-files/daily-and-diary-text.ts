/** Append-only files as Markdown: daily files, dream diaries and the archive. */
import type { Document, DocumentLine } from '../records/document.ts';
import { oneLine } from '../text/lines.ts';
import { escapedHeading, escapedLine } from './markdown-line.ts';

/** The heading of a block that has none. */
export const DEFAULT_HEADING = 'Notes';

type Block = Pick<Document, 'heading' | 'lines' | 'at'>;

/** Formats the day or the clock time of a moment, in the subject's time zone. */
type TimeText = (at: number) => string;

/**
 * Returns a daily file: its header, and each block under a heading with its time (TIER-02,
 * TIER-03).
 * @param day `YYYY-MM-DD`
 * @param timeOf `HH:MM`
 */
export function dailyText(day: string, blocks: readonly Block[], timeOf: TimeText): string {
  return fileText(`Daily Memory: ${day}`, blocks, timeOf);
}

/** Returns the dream diary of a day. @param timeOf `HH:MM` */
export function diaryText(day: string, blocks: readonly Block[], timeOf: TimeText): string {
  return fileText(`Dream Diary: ${day}`, blocks, timeOf);
}

/** Returns the archive: what MEMORY.md had no room for. @param dayOf `YYYY-MM-DD` */
export function archiveText(blocks: readonly Block[], dayOf: TimeText): string {
  return fileText('Archive', blocks, dayOf);
}

function fileText(title: string, blocks: readonly Block[], when: TimeText): string {
  const parts = blocks.map(({ heading, lines, at }) => {
    const name = escapedHeading(oneLine(heading ?? '') || DEFAULT_HEADING);
    return `## ${name} (${when(at)})\n\n${linesText(lines, '###')}`;
  });
  return [`# ${title}\n`, ...parts].join('\n');
}

/**
 * Returns lines as bullets under their headings: first the lines without a heading, then each
 * heading in the order of first lines. Empty if there are no lines.
 * @param mark of the headings, such as `##`
 */
export function linesText(
  lines: readonly Pick<DocumentLine, 'heading' | 'text'>[],
  mark: string,
): string {
  const groups = Map.groupBy(groupedByHeading(lines), ({ heading }) => heading);
  return [...groups]
    .map(([heading, group]) =>
      heading === null
        ? bullets(group)
        : `${mark} ${escapedHeading(oneLine(heading))}\n\n${bullets(group)}`,
    )
    .join('\n');
}

function bullets(lines: readonly Pick<DocumentLine, 'text'>[]): string {
  return lines.map(({ text }) => `- ${escapedLine(oneLine(text))}\n`).join('');
}

// The order in which a file shows its lines.

/**
 * Puts lines without a heading first, then groups the others by heading, in the order of each
 * heading's first line. Within a heading the order stays. Lines in this order read back from
 * Markdown unchanged, so that saving an unedited file makes no new version.
 */
export function groupedByHeading<Line extends Pick<DocumentLine, 'heading'>>(
  lines: readonly Line[],
): readonly Line[] {
  const groups = Map.groupBy(lines, ({ heading }) => heading);
  const open = groups.get(null) ?? [];
  groups.delete(null);
  return [...open, ...[...groups.values()].flat()];
}

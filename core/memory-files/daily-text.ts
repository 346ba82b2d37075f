/** Files to which is only appended, as Markdown: daily files, dream diaries and the archive. */
import type { Document, DocumentLine } from '../records/document.ts';
import { oneLine } from '../text/lines.ts';
import { escapedHeading, escapedLine } from './markdown-line.ts';

/** What a block is headed with where it has no heading of its own. */
const NO_HEADING = 'Notes';

export type Block = Pick<Document, 'heading' | 'lines' | 'at'>;

/** What a clock or a calendar says of a time, in the time zone of the subject. */
export type TimeText = (at: number) => string;

/**
 * A daily file: its header, and each block under a heading with its time (TIER-02, TIER-03).
 * @param day `YYYY-MM-DD`
 * @param timeOf `HH:MM`
 */
export function dailyText(day: string, blocks: readonly Block[], timeOf: TimeText): string {
  return fileText(`Daily Memory: ${day}`, blocks, timeOf);
}

/** The dream diary of a day. @param timeOf `HH:MM` */
export function diaryText(day: string, blocks: readonly Block[], timeOf: TimeText): string {
  return fileText(`Dream Diary: ${day}`, blocks, timeOf);
}

/** What MEMORY.md had no room for. @param dayOf `YYYY-MM-DD` */
export function archiveText(blocks: readonly Block[], dayOf: TimeText): string {
  return fileText('Archive', blocks, dayOf);
}

function fileText(title: string, blocks: readonly Block[], when: TimeText): string {
  const parts = blocks.map(({ heading, lines, at }) => {
    const name = escapedHeading(oneLine(heading ?? '') || NO_HEADING);
    return `## ${name} (${when(at)})\n\n${linesText(lines, '###')}`;
  });
  return [`# ${title}\n`, ...parts].join('\n');
}

/**
 * Lines as bullets under their headings: first those that have none, then each heading where its
 * first line stands. Empty where there is no line.
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
 * First lines without a heading, then each heading where its first line stands; within a heading
 * the order stays. What is kept in this order reads back from its Markdown as it was, so that a
 * file which is saved unchanged is no new version.
 */
export function groupedByHeading<Line extends Pick<DocumentLine, 'heading'>>(
  lines: readonly Line[],
): readonly Line[] {
  const groups = Map.groupBy(lines, ({ heading }) => heading);
  const open = groups.get(null) ?? [];
  groups.delete(null);
  return [...open, ...[...groups.values()].flat()];
}

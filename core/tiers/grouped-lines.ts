/** The order in which a file shows its lines. */
import type { DocumentLine } from '../records/document.ts';

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

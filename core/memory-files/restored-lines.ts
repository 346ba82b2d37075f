/**
 * The current lines of MEMORY.md. A line that a correction moved to the archive returns when the
 * correction is gone.
 */
import type { DocumentLine } from '../records/document.ts';

/** When a source stopped saying what it said. */
export interface SourceEnd {
  /** Lines from before this time are no longer valid. */
  readonly at: number;
  /** Id of the source that replaced it. A line that also rests on that source stays valid. */
  readonly supersededBy: string | null;
  /** Whether it was deleted: then no version of a file shows the line. */
  readonly isDeleted?: boolean;
}

export type SourceEnds = ReadonlyMap<string, SourceEnd>;

/**
 * Returns the valid lines, each in its place. A line that is no longer valid is replaced by the
 * archived line that it had replaced, if that is valid again. The newer line cites the sources of
 * the older one, so all its other sources must be gone.
 * @param archived newest last
 * @param isValid for the lines themselves; an archived line must be current
 */
export function restoredLines(
  lines: readonly DocumentLine[],
  archived: readonly DocumentLine[],
  ends: SourceEnds,
  isValid: typeof isCurrent = isCurrent,
): readonly DocumentLine[] {
  const there = new Set(lines.map(({ id }) => id));
  return lines.flatMap((line) => {
    if (isValid(line, ends)) return [line];
    const back = archived.findLast(
      (older) =>
        !there.has(older.id) && isCurrent(older, ends) && isAllThatIsLeft(older, line, ends),
    );
    if (back === undefined) return [];
    there.add(back.id);
    return [{ ...back, heading: line.heading }];
  });
}

export function isCurrent({ sources, at }: DocumentLine, ends: SourceEnds): boolean {
  return sources.every((id) => {
    const end = ends.get(id);
    if (end === undefined || end.at <= at) return true;
    return end.supersededBy !== null && sources.includes(end.supersededBy);
  });
}

/** Whether no source of a line was deleted. */
export function isUndeleted({ sources }: DocumentLine, ends: SourceEnds): boolean {
  return !sources.some((id) => ends.get(id)?.isDeleted === true);
}

function isAllThatIsLeft(older: DocumentLine, line: DocumentLine, ends: SourceEnds): boolean {
  const own = new Set(older.sources.length === 0 ? [older.id] : older.sources);
  const cited = new Set(line.sources);
  if (![...own].every((id) => cited.has(id))) return false;
  const others = line.sources.filter((id) => !own.has(id));
  return others.length > 0 && others.every((id) => (ends.get(id)?.at ?? -Infinity) > line.at);
}

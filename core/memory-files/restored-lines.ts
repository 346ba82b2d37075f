/** What MEMORY.md says now: a line that only a correction had moved to the archive is back. */
import type { DocumentLine } from '../records/document.ts';

/** Since when a source does not say any more what it said. */
export interface SourceEnd {
  /** No line from before it holds. */
  readonly at: number;
  /** What took its place: a line that rests on that as well knows of it. */
  readonly supersededBy: string | null;
}

export type SourceEnds = ReadonlyMap<string, SourceEnd>;

/**
 * The lines that hold, in their places. One that holds no longer gives way to the archived line
 * that it took the place of, where nothing else speaks against that one: a line cites what it takes
 * the place of, so all that it rests on beside must be gone.
 * @param archived the newest last
 */
export function returnedLines(
  lines: readonly DocumentLine[],
  archived: readonly DocumentLine[],
  ends: SourceEnds,
): readonly DocumentLine[] {
  const there = new Set(lines.map(({ id }) => id));
  return lines.flatMap((line) => {
    if (isCurrent(line, ends)) return [line];
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

function isAllThatIsLeft(older: DocumentLine, line: DocumentLine, ends: SourceEnds): boolean {
  const own = new Set(older.sources.length === 0 ? [older.id] : older.sources);
  const cited = new Set(line.sources);
  if (![...own].every((id) => cited.has(id))) return false;
  const others = line.sources.filter((id) => !own.has(id));
  return others.length > 0 && others.every((id) => (ends.get(id)?.at ?? -Infinity) > line.at);
}

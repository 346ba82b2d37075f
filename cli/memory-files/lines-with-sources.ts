/** Prints lines of memory for people: under their headings, each with its sources. */
import { dim, shortId, visible, wrappedWithNote } from '../terminal-text.ts';

interface ListedLine {
  readonly heading: string | null;
  readonly text: string;
  readonly sources: readonly string[];
}

/** Sources of a line that are named; the others are counted. */
const SOURCES_SHOWN_MAX = 3;
const INDENT = '  ';

/** Returns each line with its sources, and the heading before its first line. */
export function linesWithSources(lines: readonly ListedLine[]): string {
  let heading: string | null = null;
  return lines
    .flatMap((line) => {
      const isNew = line.heading !== heading;
      heading = line.heading;
      const text = wrappedWithNote(line.text, sourcesText(line.sources), INDENT);
      return [...(isNew && heading !== null ? [dim(visible(heading))] : []), text];
    })
    .join('\n');
}

function sourcesText(sources: readonly string[]): string {
  if (sources.length === 0) return '[stated]';
  const shown = sources.slice(0, SOURCES_SHOWN_MAX).map(shortId);
  const more = sources.length - shown.length;
  return `[${[...shown, ...(more > 0 ? [`+${String(more)}`] : [])].join(' ')}]`;
}

/** Decides whether a proposal leaves MEMORY.md unchanged. */
import type { DocumentLine } from '../records/document.ts';

interface Lines {
  readonly lines: readonly Pick<DocumentLine, 'id' | 'text'>[];
}

/**
 * Whether a proposal changes no line. A different order or different headings alone make no new
 * version.
 * @param base the version that the proposal was made from; null if there was none
 */
export function isUnchanged({ lines }: Lines, base: Lines | null): boolean {
  const before = new Map(base?.lines.map(({ id, text }) => [id, text]));
  return lines.length === before.size && lines.every(({ id, text }) => before.get(id) === text);
}

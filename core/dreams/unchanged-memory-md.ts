/** Whether a proposal leaves MEMORY.md as it is. */
import type { DocumentLine } from '../records/document.ts';

interface Lines {
  readonly lines: readonly Pick<DocumentLine, 'id' | 'text'>[];
}

/**
 * Another order, or other headings alone, are no change and deserve no version.
 * @param base the version that the proposal was made from; null where there was none
 */
export function isUnchanged({ lines }: Lines, base: Lines | null): boolean {
  const before = new Map(base?.lines.map(({ id, text }) => [id, text]));
  return lines.length === before.size && lines.every(({ id, text }) => before.get(id) === text);
}

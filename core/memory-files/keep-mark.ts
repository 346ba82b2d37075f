/** `<!-- keep -->` in MEMORY.md: no dream changes, removes or archives a line with this mark. */
import type { DocumentLine } from '../records/document.ts';

const MARK = '<!-- keep -->';
const MARKS = /\s*<!--\s*keep\s*-->/giu;

/**
 * Returns whether a line is protected: by a mark on it or on its heading, or as part of a
 * structure.
 */
export function isProtected({
  heading,
  text,
  isFixed = false,
}: Pick<DocumentLine, 'heading' | 'text' | 'isFixed'>): boolean {
  return isFixed || isMarked(text) || isMarked(heading ?? '');
}

export function isMarked(text: string): boolean {
  return text.search(MARKS) >= 0;
}

/** Returns the text of a line without the mark. */
export function withoutKeepMark(text: string): string {
  return isMarked(text) ? text.replaceAll(MARKS, '').trim() : text;
}

/** Returns the text with one mark, at the end. */
export function marked(text: string): string {
  return `${withoutKeepMark(text)} ${MARK}`;
}

/** `<!-- keep -->` in MEMORY.md: no dream changes, removes or archives what a person marks so. */
import type { DocumentLine } from '../records/document.ts';

const MARK = '<!-- keep -->';
const MARKS = /\s*<!--\s*keep\s*-->/giu;

/** Whether a line is protected: by the mark on it or on its heading, or as part of a structure. */
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

/** What a line says without the mark. */
export function withoutKeepMark(text: string): string {
  return isMarked(text) ? text.replaceAll(MARKS, '').trim() : text;
}

/** With one mark, at the end. */
export function marked(text: string): string {
  return `${withoutKeepMark(text)} ${MARK}`;
}

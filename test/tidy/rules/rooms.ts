/**
 * Inside of a part, folders and the files beside them are rooms, and rooms import each other in one
 * direction only: whoever reads one knows that nothing below it reads it.
 */
import path from 'node:path';
import { isCode, type Finding, type SourceFile } from '../source-file.ts';
import { lineAt } from '../syntax.ts';
import { importsOf, partOf } from './arrows.ts';

/** Tests and measurements read each other's fixtures. */
const FREE: ReadonlySet<string> = new Set(['', 'bench', 'examples', 'scripts', 'test']);

interface RoomArrow extends Finding {
  readonly from: string;
  readonly to: string;
}

/** Every import that is part of a circle of rooms, or leads from one circle to another. */
export function circlesOfRooms(files: readonly SourceFile[]): readonly Finding[] {
  let arrows = files.flatMap((file) => (isCode(file) ? arrowsOf(file) : []));
  for (;;) {
    const importing = new Set(arrows.map(({ from }) => from));
    const imported = new Set(arrows.map(({ to }) => to));
    const left = arrows.filter(({ from, to }) => importing.has(to) && imported.has(from));
    if (left.length === arrows.length) break;
    arrows = left;
  }
  return arrows.map(({ path: file, line, problem }) => ({ path: file, line, problem }));
}

function arrowsOf(file: SourceFile): readonly RoomArrow[] {
  const part = partOf(file.path);
  if (FREE.has(part)) return [];
  const from = roomOf(part, file.path);
  return importsOf(file).flatMap(({ specifier, start }) => {
    const target = targetOf(file.path, specifier);
    if (target === null || partOf(target) !== part) return [];
    const to = roomOf(part, target);
    if (to === from) return [];
    const problem = `${from} imports ${to}, in a circle; let what both need stand below them`;
    return [{ from, to, path: file.path, line: lineAt(file.text, start), problem }];
  });
}

/** A folder of the part, or a file directly in the part. */
function roomOf(part: string, file: string): string {
  const [room = ''] = file.slice(part.length + 1).split('/');
  return `${part}/${room}`;
}

/** Null for packages. */
function targetOf(file: string, specifier: string): string | null {
  if (specifier.startsWith('#')) return specifier.slice(1);
  if (!specifier.startsWith('.')) return null;
  return path.posix.join(path.posix.dirname(file), specifier);
}

/**
 * Inside a part, its folders and the files beside them import each other in one direction only: a
 * reader of one knows that nothing that it imports depends on it.
 */
import path from 'node:path';
import { isCode, type Finding, type SourceFile } from '../source-file.ts';
import { lineAt } from '../syntax.ts';
import { importsOf, partOf } from './arrows.ts';

/** Tests and measurements read each other's fixtures. */
const FREE: ReadonlySet<string> = new Set(['', 'bench', 'examples', 'scripts', 'test']);

interface Import extends Finding {
  readonly from: string;
  readonly to: string;
}

/** Every import that is part of a cycle, or leads from one cycle to another. */
export function importCycles(files: readonly SourceFile[]): readonly Finding[] {
  let imports = files.flatMap((file) => (isCode(file) ? importsWithin(file) : []));
  for (;;) {
    const importing = new Set(imports.map(({ from }) => from));
    const imported = new Set(imports.map(({ to }) => to));
    const left = imports.filter(({ from, to }) => importing.has(to) && imported.has(from));
    if (left.length === imports.length) break;
    imports = left;
  }
  return imports.map(({ path: file, line, problem }) => ({ path: file, line, problem }));
}

function importsWithin(file: SourceFile): readonly Import[] {
  const part = partOf(file.path);
  if (FREE.has(part)) return [];
  const from = nodeOf(part, file.path);
  return importsOf(file).flatMap(({ specifier, start }) => {
    const target = targetOf(file.path, specifier);
    if (target === null || partOf(target) !== part) return [];
    const to = nodeOf(part, target);
    if (to === from) return [];
    const problem = `${from} imports ${to}, in a cycle; move what both need into a third`;
    return [{ from, to, path: file.path, line: lineAt(file.text, start), problem }];
  });
}

/** A folder of the part, or a file directly in the part. */
function nodeOf(part: string, file: string): string {
  const [node = ''] = file.slice(part.length + 1).split('/');
  return `${part}/${node}`;
}

/** Null for packages. */
function targetOf(file: string, specifier: string): string | null {
  if (specifier.startsWith('#')) return specifier.slice(1);
  if (!specifier.startsWith('.')) return null;
  return path.posix.join(path.posix.dirname(file), specifier);
}

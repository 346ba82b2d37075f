/** What the rules of this folder check, and the findings that they return. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.resolve(import.meta.dirname, '../..');

export interface SourceFile {
  /** Relative to the project, with `/`. */
  readonly path: string;
  readonly text: string;
}

export interface Finding {
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  /** What is wrong and what to do about it. */
  readonly problem: string;
}

/** A pure function: the same file gives the same findings. */
export type Rule = (file: SourceFile) => readonly Finding[];

/** Made by programs and ignored by git. */
const NOT_OURS: ReadonlySet<string> = new Set([
  '.git',
  '.tsc',
  '.varve',
  'coverage',
  'dist',
  'node_modules',
  // Python keeps what it compiled, and what pip built of a folder, beside the sources.
  '__pycache__',
  'build',
  'varve_client.egg-info',
]);
/** What `npm pack` leaves, and what programs log. */
const LEFT_BEHIND = /(?:^varve-.*\.tgz|\.log)$/u;

/** Every file of the project, as git would have it, but without asking git. */
export function projectFiles(root: string): readonly SourceFile[] {
  return filesUnder(root, '').map((file) => ({
    path: file,
    text: readFileSync(path.join(root, file), 'utf8'),
  }));
}

export function readProjectFile(file: string): SourceFile {
  const full = path.join(ROOT, file);
  return { path: file, text: existsSync(full) ? readFileSync(full, 'utf8') : '' };
}

/** Findings as an editor and a terminal can follow them. */
export function told(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ path: file, line, problem }) => `${file}:${String(line)} ${problem}`);
}

export function isCode({ path: file }: SourceFile): boolean {
  return /\.(?:ts|mjs)$/u.test(file);
}

function filesUnder(root: string, folder: string): readonly string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !NOT_OURS.has(name) && !LEFT_BEHIND.test(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const file = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) return filesUnder(root, file);
      return entry.isFile() ? [file] : [];
    });
}

/** The first step of an import: what a path is, without reading it through. */
import { stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { VarveError } from '#core/errors.ts';
import { filesOf, formatOf } from './folder.ts';
import { type InputFile, readHead, refuseBinary, refuseTooLarge } from './input-file.ts';
import { readJsonLines } from './json-lines.ts';
import { type Shape, shapeOf } from './record.ts';
import { sniff } from './record-stream.ts';
import { refusal, unreadable } from './refusal.ts';

export interface Detected {
  /** As the user gave it. */
  readonly path: string;
  readonly kind: 'folder' | 'markdown' | 'text' | Shape;
  readonly files: readonly InputFile[];
  readonly bytes: number;
}

/**
 * What a path holds, and how much of it. Files of a folder are not opened.
 * @throws VarveError INVALID_INPUT where there is nothing that could be imported.
 */
export async function detectInput(path: string): Promise<Detected> {
  const found = await stat(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (found.isDirectory()) {
    const files = await filesOf(path, basename(resolve(path)));
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    return { path, kind: 'folder', files, bytes };
  }
  if (!found.isFile()) {
    throw refusal(
      { file: path },
      { problem: 'this is neither a file nor a folder', expected: 'Give one of the two.' },
    );
  }
  if (found.size === 0) throw nothingIn(path);
  refuseBinary(await readHead(path), path);
  const name = [basename(dirname(resolve(path))), basename(path)].join('/');
  const format = formatOf(path) ?? 'text';
  const file = await settled({ path, name, format, bytes: found.size, inFolder: false });
  return { path, kind: await kindOf(file), files: [file], bytes: file.bytes };
}

/**
 * A file with the format that it has, whatever its name says: `.json` files often hold JSON Lines,
 * which their first line shows.
 */
export async function settled(file: InputFile): Promise<InputFile> {
  if (file.format !== 'json') return file;
  for await (const entry of readJsonLines(file.path)) {
    const isRecord = entry.kind === 'value' && shapeOf(entry.value) !== null;
    return { ...file, format: isRecord ? 'jsonl' : 'json' };
  }
  return file;
}

export function nothingIn(path: string): VarveError {
  return refusal(
    { file: path },
    {
      problem: 'there is no text in it',
      expected: 'Give Markdown, plain text, JSON or JSON Lines, e.g. notes.md.',
    },
  );
}

async function kindOf(file: InputFile): Promise<Detected['kind']> {
  if (file.format === 'markdown' || file.format === 'text') {
    refuseTooLarge(file);
    return file.format;
  }
  const sniffed = await sniff(file);
  if (sniffed.kind === 'known') return sniffed.shape;
  throw sniffed.kind === 'empty' ? nothingIn(file.path) : sniffed.problem;
}

/**
 * The first step of an import: what a path holds, without reading all of it. A file has a format,
 * by its name; a JSON file also has a shape, by a field of its objects: a chat, conversations,
 * meetings, memories, or an export of Varve.
 */
import type { VarveError } from '#core/errors.ts';
import {
  type InputFile,
  readHead,
  refuseBinary,
  refuseTooLarge,
  type Format,
  type InputPlace,
  type Shape,
  refusal,
  unreadableFile,
} from './input-file.ts';
import { readJsonDocument, readJsonLines, type Entry } from './json-stream.ts';
import { isConversation } from './exported-conversations.ts';
import { isExported } from './varve-export.ts';
import type { Dirent } from 'node:fs';
import { stat, readdir } from 'node:fs/promises';
import { basename, dirname, resolve, extname, join } from 'node:path';

export interface Detected {
  /** As given by the user. */
  readonly path: string;
  readonly kind: 'folder' | 'markdown' | 'text' | Shape;
  readonly files: readonly InputFile[];
  readonly bytes: number;
}

/**
 * Returns what a path holds, and how much of it. Does not open the files of a folder.
 * @param own name of the file in place of that of its path; keys and sessions begin with it
 * @throws VarveError INVALID_INPUT if there is nothing to import, or for a folder with a name
 */
export async function detectInput(path: string, own?: string): Promise<Detected> {
  const found = await stat(path).catch((error: unknown) => {
    throw unreadableFile(path, error);
  });
  if (found.isDirectory()) {
    if (own !== undefined) {
      throw refusal(
        { file: path },
        { problem: 'this is a folder, and --name names one file', expected: 'Leave --name out.' },
      );
    }
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
  if (found.size === 0) throw nothingToImport(path);
  refuseBinary(await readHead(path), path);
  const name = own ?? [basename(dirname(resolve(path))), basename(path)].join('/');
  const format = formatOf(path) ?? 'text';
  const file = await withDetectedFormat({ path, name, format, bytes: found.size, inFolder: false });
  return { path, kind: await kindOf(file), files: [file], bytes: file.bytes };
}

/**
 * Returns a file with its real format, whatever its name says: `.json` files often hold JSON Lines,
 * as their first line shows.
 */
export async function withDetectedFormat(file: InputFile): Promise<InputFile> {
  if (file.format !== 'json') return file;
  for await (const entry of readJsonLines(file.path)) {
    const isRecord = entry.kind === 'value' && shapeOf(entry.value) !== null;
    return { ...file, format: isRecord ? 'jsonl' : 'json' };
  }
  return file;
}

export function nothingToImport(path: string): VarveError {
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
  const detected = await detectJsonShape(file);
  if (detected.kind === 'known') return detected.shape;
  throw detected.kind === 'empty' ? nothingToImport(file.path) : detected.problem;
}

/** Objects checked to find one with a known shape: the first may be broken. */
const SNIFFED_MAX = 20;

/** The shape of the objects of a file; `foreign` is JSON that is not meant for import. */
type DetectedShape =
  | { readonly kind: 'known'; readonly shape: Shape }
  | { readonly kind: 'foreign' | 'broken'; readonly problem: VarveError }
  | { readonly kind: 'empty' };

/** Determines from the first objects what a file holds. */
export async function detectJsonShape(file: InputFile): Promise<DetectedShape> {
  const isDocument = file.format === 'json';
  const entries = isDocument ? await readJsonDocument(file) : readJsonLines(file.path);
  let first: Entry | null = null;
  let seen = 0;
  for await (const entry of entries) {
    const shape = entry.kind === 'value' ? shapeOf(entry.value) : null;
    if (shape !== null) return { kind: 'known', shape };
    first ??= entry;
    seen += 1;
    if (seen === SNIFFED_MAX) break;
  }
  if (first === null) return { kind: 'empty' };
  if (first.kind === 'bad') return { kind: 'broken', problem: first.problem };
  return { kind: 'foreign', problem: unknownShape(first.place) };
}

/** Returns the shape, by a field that only this shape has; null for any other JSON. */
function shapeOf(value: unknown): Shape | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  if (isExported(value)) return 'export';
  if (isConversation(value)) return 'conversations';
  if ('meeting_transcripts' in value) return 'meetings';
  if ('layer' in value) return 'memories';
  return 'role' in value ? 'chat' : null;
}

function unknownShape(place: InputPlace): VarveError {
  return refusal(place, {
    problem: 'this JSON has none of the shapes that can be imported',
    expected:
      'Chat: {"role":"user","content":"Hello"}, or the conversations.json of ChatGPT or Claude. ' +
      'Meeting: {"meeting_transcripts":[{"speaker":"Ann","content":"Hello"}]}. ' +
      'Memory: {"layer":"user","userId":"ann","content":"Prefers short answers."}.',
  });
}

const FOLDER_FILES_MAX = 10_000;

/** Limit of entries, read or not: importing a whole disk is a mistake. */
const FOLDER_ENTRIES_MAX = 500_000;

const FOLDER_DEPTH_MAX = 64;

const FORMATS: Readonly<Record<string, Format>> = {
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.txt': 'text',
  '.rst': 'text',
  '.jsonl': 'jsonl',
  '.json': 'json',
};

interface Walk {
  readonly root: string;
  readonly name: string;
  readonly files: InputFile[];
  readonly filesMax: number;
  entries: number;
}

/**
 * Returns the files under a folder, sorted by path. Skips hidden entries, `node_modules` and
 * symbolic links: their target is in the folder anyway, or was not requested.
 * @throws VarveError INVALID_INPUT if the folder holds no or too many files.
 */
export async function filesOf(
  folder: string,
  name: string,
  filesMax = FOLDER_FILES_MAX,
): Promise<readonly InputFile[]> {
  const walk: Walk = { root: folder, name, files: [], filesMax, entries: 0 };
  await visit(walk, '', 0);
  if (walk.files.length > 0) return walk.files;
  throw refusal(
    { file: folder },
    {
      problem: 'the folder holds no file that can be imported',
      expected: `Give one with ${Object.keys(FORMATS).join(', ')} files.`,
    },
  );
}

async function visit(walk: Walk, relative: string, depth: number): Promise<void> {
  const folder = join(walk.root, relative);
  if (depth > FOLDER_DEPTH_MAX) throw tooMuch(folder, `${FOLDER_DEPTH_MAX} folders deep`);
  for (const entry of await entriesOf(folder)) {
    walk.entries += 1;
    if (walk.entries > FOLDER_ENTRIES_MAX) {
      throw tooMuch(walk.root, `${FOLDER_ENTRIES_MAX} files and folders`);
    }
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const path = relative === '' ? entry.name : `${relative}/${entry.name}`;
    if (entry.isDirectory()) await visit(walk, path, depth + 1);
    else if (entry.isFile()) await collect(walk, path);
  }
}

async function collect(walk: Walk, relative: string): Promise<void> {
  const format = formatOf(relative);
  if (format === null) return;
  if (walk.files.length >= walk.filesMax) throw tooMuch(walk.root, `${walk.filesMax} files`);
  const path = join(walk.root, relative);
  const { size } = await stat(path).catch((error: unknown) => {
    throw unreadableFile(path, error);
  });
  const name = `${walk.name}/${relative}`;
  walk.files.push({ path, name, format, bytes: size, inFolder: true });
}

/** Returns the format that a file's name indicates; null if it indicates none. */
function formatOf(path: string): Format | null {
  const extension = extname(path).toLowerCase();
  return Object.hasOwn(FORMATS, extension) ? (FORMATS[extension] ?? null) : null;
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    // By code unit and not by locale, so that every machine imports in the same order.
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    throw unreadableFile(folder, error);
  }
}

function tooMuch(folder: string, limit: string): Error {
  return refusal(
    { file: folder },
    { problem: `the folder goes beyond ${limit}`, expected: 'Import its parts one by one.' },
  );
}

/**
 * Makes a folder with the folders above it. The recursive `mkdir` of Node never ends where a file
 * system refuses a name with ENOENT, as /proc does.
 */
import { codeOf } from '#core/errors.ts';
import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Returns the first folder that was made; undefined if all exist. Another process may make them at
 * the same time.
 * @param mode permissions of each folder that is made
 * @throws the error of the file system
 */
export function makeFolder(folder: string, mode?: number): string | undefined {
  const whole = path.resolve(folder);
  const missing: string[] = [];
  for (let at = whole; !exists(at) && at !== path.dirname(at); at = path.dirname(at)) {
    missing.unshift(at);
  }
  for (const each of missing) makeOne(each, mode);
  // Fails with EEXIST for a file.
  if (!statSync(whole).isDirectory()) mkdirSync(whole);
  return missing[0];
}

function makeOne(folder: string, mode: number | undefined): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

function exists(file: string): boolean {
  try {
    statSync(file);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw error;
  }
}

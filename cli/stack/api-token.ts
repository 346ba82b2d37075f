/** The token of a local installation: made once, readable by its owner only. */
import { randomBytes } from 'node:crypto';
import { chmod, link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { VarveError } from '#core/errors.ts';

/** What can be guessed by trying is no secret. */
export const API_TOKEN_LENGTH_MIN = 16;
const TOKEN_BYTES = 32;
const SUFFIX_BYTES = 6;
const OWNER_ONLY = 0o600;
/** Permissions of anybody but the owner. */
const OTHERS = 0o077;

/**
 * The token that the file holds, or a new one, written whole or not at all.
 * @throws VarveError INVALID_INPUT for a file with too short a token, PROVIDER_REJECTED for one
 * that others can read and whose mode cannot be changed
 */
export async function localToken(file: string): Promise<string> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  return (await keptToken(file)) ?? newToken(file);
}

/** Null where there is no file. */
async function keptToken(file: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  const token = text.trim();
  if (token.length < API_TOKEN_LENGTH_MIN) {
    const message =
      `The token in ${file} has ${String(token.length)} characters; a token has at least ` +
      `${String(API_TOKEN_LENGTH_MIN)}. Remove the file, and the next start makes a new one.`;
    throw new VarveError('INVALID_INPUT', message);
  }
  await keepFromOthers(file);
  return token;
}

async function keepFromOthers(file: string): Promise<void> {
  const { mode } = await stat(file);
  if ((mode & OTHERS) === 0) return;
  try {
    await chmod(file, OWNER_ONLY);
  } catch (cause) {
    const message = `Others can read the token in ${file}. Its owner must set its mode to 0600.`;
    throw new VarveError('PROVIDER_REJECTED', message, { cause });
  }
}

/** Of two processes that make one at a time, both answer the token of the first. */
async function newToken(file: string): Promise<string> {
  const fresh = randomBytes(TOKEN_BYTES).toString('base64url');
  const temporary = `${file}.${randomBytes(SUFFIX_BYTES).toString('hex')}.tmp`;
  try {
    await using handle = await open(temporary, 'wx', OWNER_ONLY);
    await handle.writeFile(fresh);
    await handle.sync();
    if (await isFirst(temporary, file)) return fresh;
  } finally {
    await rm(temporary, { force: true });
  }
  return (await keptToken(file)) ?? fresh;
}

/** Gives the file its name, unless there is one of that name already. */
async function isFirst(temporary: string, file: string): Promise<boolean> {
  try {
    await link(temporary, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    // A file system without hard links: the name is taken over at once.
    await rename(temporary, file);
    return true;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** The cache of downloaded or built Temporal programs, so that each version is obtained once. */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { programFile, type Platform } from './server-platform.ts';
import { TEMPORAL_CLI_VERSION } from './server-version.ts';

const HASH_CHARACTERS = 8;
const WORK_PREFIX = 'partial-';

export interface ServerCache {
  /** The finished program; a file gets this name only after it was verified. */
  readonly program: string;
  readonly lock: string;
  readonly folder: string;
}

/** Opens the cache entry of the pinned version and Go module; creates its folder. */
export async function openServerCache(
  platform: Platform,
  moduleFolder: string,
): Promise<ServerCache> {
  const hash = createHash('sha256');
  for (const name of ['go.mod', 'go.sum']) {
    hash.update(await readFile(path.join(moduleFolder, name)));
  }
  const key = hash.digest('hex').slice(0, HASH_CHARACTERS);
  const folder = path.join(cacheFolder(platform), `temporal-${TEMPORAL_CLI_VERSION}-${key}`);
  await mkdir(folder, { recursive: true });
  const program = path.join(folder, programFile('temporal', platform.os));
  return { folder, program, lock: path.join(folder, 'lock') };
}

/**
 * Makes a folder for an unfinished program, beside its final place, so that moving it there is an
 * atomic rename. Removes leftovers of killed attempts; the caller holds the lock.
 */
export async function makeWorkFolder(
  cache: ServerCache,
): Promise<AsyncDisposable & { readonly path: string }> {
  for (const name of await readdir(cache.folder)) {
    if (name.startsWith(WORK_PREFIX)) await remove(path.join(cache.folder, name));
  }
  const folder = await mkdtemp(path.join(cache.folder, WORK_PREFIX));
  return { path: folder, [Symbol.asyncDispose]: () => remove(folder) };
}

/** Returns Varve's cache folder by the conventions of the operating system. */
export function cacheFolder({
  env,
  os,
  homeFolder,
}: Pick<Platform, 'env' | 'os' | 'homeFolder'>): string {
  const own = env['VARVE_CACHE_DIR'];
  if (own !== undefined && own !== '') return path.resolve(own);
  const shared = env['XDG_CACHE_HOME'];
  // The XDG specification says to ignore relative paths.
  if (shared !== undefined && path.isAbsolute(shared)) return path.join(shared, 'varve');
  if (os === 'darwin') return path.join(homeFolder, 'Library', 'Caches', 'varve');
  if (os === 'win32') return path.join(homeFolder, 'AppData', 'Local', 'varve', 'cache');
  return path.join(homeFolder, '.cache', 'varve');
}

async function remove(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

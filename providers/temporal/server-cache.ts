/** Where a Temporal that was downloaded or built is kept, so that this happens once per version. */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import path from 'node:path';

import { programFile, type Platform } from './server-platform.ts';
import { TEMPORAL_CLI_VERSION } from './server-version.ts';

const HASH_CHARACTERS = 8;
const WORK_PREFIX = 'partial-';

export interface ServerCache {
  /** The finished program; whatever has this name was verified before it got it. */
  readonly program: string;
  readonly lock: string;
  readonly folder: string;
}

/** The cache entry of the pinned version as the Go module builds it. Makes its folder. */
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
 * A new folder for a program in the making, beside its final place so that moving it there is one
 * atomic rename. Removes what earlier, killed attempts left: the caller holds the lock.
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

/** The cache folder of Varve by the customs of the operating system. */
export function cacheFolder({
  env,
  os,
  homeFolder,
}: Pick<Platform, 'env' | 'os' | 'homeFolder'>): string {
  const own = env['VARVE_CACHE_DIR'];
  if (own !== undefined && own !== '') return path.resolve(own);
  const shared = env['XDG_CACHE_HOME'];
  // The specification of XDG asks to ignore relative paths.
  if (shared !== undefined && path.isAbsolute(shared)) return path.join(shared, 'varve');
  if (os === 'darwin') return path.join(homeFolder, 'Library', 'Caches', 'varve');
  if (os === 'win32') return path.join(homeFolder, 'AppData', 'Local', 'varve', 'cache');
  return path.join(homeFolder, '.cache', 'varve');
}

async function remove(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

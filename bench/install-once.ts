/** Tools that measurements and tests install for themselves, once for all runs on a machine. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { VarveError } from '#core/errors.ts';
import { cacheFolder } from '#providers/temporal/server-cache.ts';
import type { CommandOutcome, Platform } from '#providers/temporal/server-platform.ts';

/** Enough to download hundreds of megabytes over a slow line. */
export const INSTALL_MS_MAX = 10 * 60 * 1_000;
const REASON_LINES_MAX = 15;

/**
 * Returns the folder of a tool installed under a name; two concurrent runs install once. The tool
 * is installed in a temporary folder next to the final one, so a folder with the final name is
 * complete.
 */
export async function installedOnce(
  platform: Platform,
  name: string,
  install: (made: string) => Promise<void>,
): Promise<string> {
  const folder = path.join(cacheFolder(platform), name);
  const installed = path.join(folder, 'installed');
  if (existsSync(installed)) return installed;
  await mkdir(folder, { recursive: true });
  await using _lock = await platform.acquireLock(path.join(folder, 'lock'), {
    waitMs: INSTALL_MS_MAX,
  });
  if (existsSync(installed)) return installed;
  const made = await mkdtemp(`${installed}-partial-`);
  try {
    await install(made);
    await rename(made, installed);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
  return installed;
}

/** @throws VarveError PROVIDER_ERROR with the last lines of an installer that failed */
export function requireInstalled(what: string, outcome: CommandOutcome): void {
  if (outcome.kind === 'Succeeded') return;
  const lines = outcome.output.split('\n').slice(-REASON_LINES_MAX).join('\n');
  throw new VarveError(
    'PROVIDER_ERROR',
    `Installing ${what} failed (${outcome.reason}):\n${lines}`,
  );
}

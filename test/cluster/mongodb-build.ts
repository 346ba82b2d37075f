/** Builds the server of test/cluster/mongodb with Maven, once per version of that folder. */
import { existsSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';

import { cacheFolder } from '#providers/temporal/server-cache.ts';
import type { Platform } from '#providers/temporal/server-platform.ts';

const MODULE = path.join(import.meta.dirname, 'mongodb');
const SOURCES = ['pom.xml', 'test-mongodb.java'];
const HASH_CHARACTERS = 8;
/** Seconds where Maven has the jars already, minutes where it fetches them. */
const BUILD_MS_MAX = 10 * 60 * 1_000;
const LOCK_MS_MAX = BUILD_MS_MAX;
const REASON_LINES_MAX = 15;

/** Folder of the jars; two test runs at once build once. */
export async function obtainJars(platform: Platform, maven: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of SOURCES) hash.update(await readFile(path.join(MODULE, name)));
  const key = hash.digest('hex').slice(0, HASH_CHARACTERS);
  const folder = path.join(cacheFolder(platform), `mongodb-test-${key}`);
  const jars = path.join(folder, 'jars');
  if (existsSync(jars)) return jars;
  await mkdir(folder, { recursive: true });
  await using _lock = await platform.acquireLock(path.join(folder, 'lock'), {
    waitMs: LOCK_MS_MAX,
  });
  if (!existsSync(jars)) await build(platform, maven, jars);
  return jars;
}

/** Into a folder beside the final one, so that what has the final name is whole. */
async function build(platform: Platform, maven: string, jars: string): Promise<void> {
  process.stderr.write('building the MongoDB test server with Maven; this happens once\n');
  const made = await mkdtemp(`${jars}-partial-`);
  try {
    const outcome = await platform.run({
      program: maven,
      args: ['-B', '-ntp', '-f', path.join(MODULE, 'pom.xml'), `-Dvarve.jars=${made}`, 'package'],
      timeoutMs: BUILD_MS_MAX,
      env: platform.env,
    });
    if (outcome.kind !== 'Succeeded') {
      const lines = outcome.output.split('\n').slice(-REASON_LINES_MAX).join('\n');
      throw new Error(`Building the MongoDB test server failed (${outcome.reason}):\n${lines}`);
    }
    for (const name of await readdir(made)) {
      if (!name.endsWith('.jar')) await rm(path.join(made, name), { recursive: true });
    }
    await rename(made, jars);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

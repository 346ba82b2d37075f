/**
 * A lock for installing packages, in the form of a folder: creating one is atomic on every platform
 * and needs no package. The lock is stale when no process named in it is alive.
 */
import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MS = 200;
const WAIT_MS_MAX = 15 * 60 * 1_000;
/** Maximum age of a lock without names: its holder is about to write them, or has died. */
const NAMELESS_MS_MAX = 5_000;

/**
 * Waits for the lock and takes it.
 * @param {string} root folder of package.json
 * @param {(pid: number | string) => void} onWait called once, before the first wait
 */
export async function takeInstallLock(root, onWait) {
  const parent = path.join(root, '.varve');
  const folder = path.join(parent, 'install.lock');
  const deadline = Date.now() + WAIT_MS_MAX;
  let hasWaited = false;
  while (!tryTake(folder)) {
    if (removeIfStale(folder)) continue;
    if (!hasWaited) onWait(holders(folder)[0] ?? 'unknown');
    hasWaited = true;
    if (Date.now() > deadline) throw new Error(`Gave up waiting for ${folder}; delete it.`);
    await sleep(RETRY_MS);
  }
  let isHeld = true;
  return {
    /** npm continues if this process is killed, and the lock must hold until npm ends. */
    alsoHeldBy(pid) {
      writeFileSync(path.join(folder, 'pids'), `${process.pid}\n${pid}\n`);
    },
    release() {
      if (isHeld) remove(folder, parent);
      isHeld = false;
    },
  };
}

function tryTake(folder) {
  mkdirSync(path.dirname(folder), { recursive: true });
  try {
    mkdirSync(folder);
  } catch (error) {
    // Releasing a lock removes the parent folder, perhaps at this very moment.
    if (error.code === 'EEXIST' || error.code === 'ENOENT') return false;
    throw error;
  }
  writeFileSync(path.join(folder, 'pids'), `${process.pid}\n`);
  return true;
}

function removeIfStale(folder) {
  const pids = holders(folder);
  if (pids.some(isAlive)) return false;
  if (pids.length === 0 && ageMs(folder) < NAMELESS_MS_MAX) return false;
  // Renaming is atomic, so if two processes find the lock stale, only one removes it.
  const aside = `${folder}.stale-${process.pid}`;
  try {
    renameSync(folder, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return true;
    throw error;
  }
  // Another process may have replaced the stale lock with a new one since the check.
  if (holders(aside).some(isAlive)) {
    renameSync(aside, folder);
    return false;
  }
  rmSync(aside, { recursive: true, force: true });
  return true;
}

function holders(folder) {
  try {
    const lines = readFileSync(path.join(folder, 'pids'), 'utf8').split('\n');
    return lines.map(Number).filter((pid) => pid > 0);
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

function ageMs(folder) {
  const found = statSync(folder, { throwIfNoEntry: false });
  return found === undefined ? 0 : Date.now() - found.mtimeMs;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process that we may not signal is alive.
    return error.code === 'EPERM';
  }
}

function remove(folder, parent) {
  rmSync(folder, { recursive: true, force: true });
  try {
    rmdirSync(parent);
  } catch (error) {
    // The folder may also hold Varve's data; it is removed only if it is empty.
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'EPERM'].includes(error.code)) throw error;
  }
}

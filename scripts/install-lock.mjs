/**
 * A lock for installing packages, as a folder: making one is atomic on every platform and needs no
 * package. It is stale when none of the processes named in it lives.
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
/** A lock without names: its holder died between two statements, or is just about to write. */
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
    /** npm goes on when this process is killed, and the lock must hold as long. */
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
    // The parent is removed with the last lock, perhaps in this very moment.
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
  // Renaming is atomic, so that of two processes that find it stale only one removes it.
  const aside = `${folder}.stale-${process.pid}`;
  try {
    renameSync(folder, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return true;
    throw error;
  }
  // Somebody else may have replaced the stale lock by a new one since it was looked at.
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
    // Not being allowed to signal a process means that it lives.
    return error.code === 'EPERM';
  }
}

function remove(folder, parent) {
  rmSync(folder, { recursive: true, force: true });
  try {
    rmdirSync(parent);
  } catch (error) {
    // Varve's own data may be in there; the folder goes only when it was made for the lock.
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'EPERM'].includes(error.code)) throw error;
  }
}

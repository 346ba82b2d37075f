import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { acquireExclusiveLock, readHolder } from '#providers/node/exclusive-lock.ts';
import type { LockHolder } from '#providers/node/exclusive-lock.ts';

const HOLDER = fileURLToPath(new URL('lock-holder.ts', import.meta.url));

let folder = '';
let lockPath = '';
let child: ChildProcess | undefined;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'varve-lock-'));
  lockPath = path.join(folder, 'deeper', 'lock');
});
afterEach(async () => {
  child?.kill('SIGKILL');
  child = undefined;
  await rm(folder, { recursive: true, force: true });
});

test('LOCK-1: a lock that another process holds is refused, and the error names the holder', async () => {
  const pid = await holdElsewhere();
  await expect(acquireExclusiveLock(lockPath)).rejects.toMatchObject({
    code: 'CONFLICT',
    details: { holder: { pid } },
  });
});

test('LOCK-2: the lock of a killed process is free at once', async () => {
  await holdElsewhere();
  child?.kill('SIGKILL');
  if (child !== undefined) await once(child, 'exit');
  await using lock = await acquireExclusiveLock(lockPath);
  expect(lock.path).toBe(lockPath);
  expect((await readHolder(lockPath))?.pid).toBe(process.pid);
});

test('LOCK-3: a waiting process is told once who holds the lock, and gets it next', async () => {
  const pid = await holdElsewhere();
  const told: (LockHolder | undefined)[] = [];
  const waiting = acquireExclusiveLock(lockPath, {
    waitMs: 10_000,
    onWait: (holder) => told.push(holder),
  });
  setTimeout(() => child?.kill('SIGKILL'), 500);
  await using lock = await waiting;
  expect(lock.path).toBe(lockPath);
  expect(told.map((holder) => holder?.pid)).toEqual([pid]);
});

test('LOCK-4: a second caller in the same process is refused until the lock is released', async () => {
  const first = await acquireExclusiveLock(lockPath);
  await expect(acquireExclusiveLock(lockPath)).rejects.toMatchObject({ code: 'CONFLICT' });
  await first[Symbol.asyncDispose]();
  await first[Symbol.asyncDispose]();
  await using second = await acquireExclusiveLock(lockPath);
  expect(second.path).toBe(lockPath);
  expect((await readHolder(lockPath))?.pid).toBe(process.pid);
});

test('LOCK-5: waiting ends when the signal is aborted', async () => {
  await using held = await acquireExclusiveLock(lockPath);
  expect(held.path).toBe(lockPath);
  const waiting = acquireExclusiveLock(lockPath, {
    waitMs: 60_000,
    signal: AbortSignal.timeout(100),
  });
  await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
});

test('LOCK-6: a file that is not a lock is refused and left unchanged', async () => {
  const notes = path.join(folder, 'notes.txt');
  const text = 'not a lock file\n'.repeat(100);
  await writeFile(notes, text);
  await expect(acquireExclusiveLock(notes)).rejects.toMatchObject({ code: 'CORRUPT' });
  expect(await readFile(notes, 'utf8')).toBe(text);
});

async function holdElsewhere(): Promise<number> {
  child = spawn(process.execPath, [HOLDER, lockPath], { stdio: ['ignore', 'pipe', 'inherit'] });
  if (child.stdout === null) throw new Error('the holder has no output');
  await once(child.stdout, 'data');
  return child.pid ?? 0;
}

test('LOCK-7: a folder in the place of the file is refused by its path', async () => {
  await mkdir(lockPath, { recursive: true });
  const error = await acquireExclusiveLock(lockPath).catch((failure: unknown) => failure);
  expect(error).toMatchObject({ code: 'CORRUPT' });
  expect(String(error)).toContain(JSON.stringify(lockPath));
});

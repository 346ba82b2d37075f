import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

const PARENT = fileURLToPath(new URL('watched-parent.ts', import.meta.url));
const WAIT_MS_MAX = 5_000;

test.for(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
  'TEMPORAL-8: a child process ends soon after its parent was ended by %s',
  async (signal) => {
    const parent = spawn(process.execPath, [PARENT], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [chunk] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(chunk.toString());
    expect(isAlive(pid)).toBe(true);
    parent.kill(signal);
    const deadline = performance.now() + WAIT_MS_MAX;
    while (isAlive(pid) && performance.now() < deadline) await sleep(50);
    expect(isAlive(pid)).toBe(false);
  },
);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}

/** A command that npm or npx started ends when npm does, even if npm is killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('waits-for-shutdown.ts', import.meta.url));
const START_MS_MAX = 20_000;

test(
  'a command ends in order soon after the shell in which npm started it was killed',
  async () => {
    // npm runs a command in a shell of its own, and names itself in the environment.
    const shell = spawn('sh', ['-c', `"${process.execPath}" "${PROGRAM}"; true`], {
      env: { ...process.env, npm_execpath: '/usr/lib/npm-cli.js' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const said: string[] = [];
    shell.stdout.on('data', (chunk: Buffer) => said.push(chunk.toString()));
    await once(shell.stdout, 'data');
    shell.kill('SIGKILL');
    await once(shell.stdout, 'close');
    expect(said.join('')).toMatch(/^\d+\nends: parent gone\n$/u);
  },
  START_MS_MAX,
);

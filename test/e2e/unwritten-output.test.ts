/** If output cannot be written, every command says so. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { ERRORS } from '#core/error-codes.ts';
import { runVarve, temporaryFolder, VARVE_MAIN } from './varve-process.ts';

/** Linux has it: every write to it fails as on a full disk. */
const FULL = '/dev/full';

async function runIntoFull(args: readonly string[], cwd: string) {
  await using full = await open(FULL, 'w');
  const stdio = ['ignore', full.fd, 'pipe'] as const;
  const child = spawn(process.execPath, [VARVE_MAIN, ...args], { cwd, stdio: [...stdio] });
  const ended = once(child, 'close');
  const stderr = child.stderr === null ? '' : await text(child.stderr);
  const [status] = (await ended) as [number];
  return { status, stderr };
}

describe.skipIf(!existsSync(FULL))('output to a full disk', () => {
  test('makes a command report once that its output could not be written', async () => {
    await using folder = await temporaryFolder();
    await writeFile(path.join(folder.path, 'notes.md'), 'Ann likes tea.\n');
    await runVarve(['import', 'notes.md', '--user', 'ann'], { cwd: folder.path });
    for (const command of [['export'], ['search', 'tea']]) {
      const { status, stderr } = await runIntoFull([...command, '--user', 'ann'], folder.path);
      expect(status).toBe(ERRORS.PROVIDER_ERROR.exit);
      expect(stderr).toMatch(/^varve: PROVIDER_ERROR: The output could not be written \(ENOSPC\)/u);
      expect(stderr.trim().split('\n')).toHaveLength(1);
    }
  });
});

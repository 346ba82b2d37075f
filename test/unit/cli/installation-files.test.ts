/** The token of an installation: written whole, hidden from others, never guessable. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { localToken, LOG_BYTES_MAX, openLogFile, makeDataFolder } from '#cli/installation-files.ts';
import { openParts } from '#cli/composition-root.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { temporaryFolder } from '../../conformance/sqlite-adapter.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const MAKE_TOKEN =
  "import { localToken } from '#cli/installation-files.ts'; await localToken(process.argv[1]);";

async function newFile(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'varve-token-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return path.join(folder, 'api-token');
}

describe('the token of an installation', () => {
  test('is created once, for its owner only, without other files in the folder', async () => {
    const file = await newFile();
    const token = await localToken(file);
    expect(token.length).toBeGreaterThanOrEqual(43);
    expect(await localToken(file)).toBe(token);
    expect(await readFile(file, 'utf8')).toBe(token);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(path.dirname(file))).toEqual(['api-token']);
  });

  test('is the same for all callers who create it at the same time', async () => {
    const file = await newFile();
    const tokens = await Promise.all(Array.from({ length: 20 }, () => localToken(file)));
    expect(new Set(tokens).size).toBe(1);
  });

  test.each(['', '\n', 'short', 'fifteen-letters'])('is refused as %j', async (text) => {
    const file = await newFile();
    await writeFile(file, text, { mode: 0o600 });
    const expected = { code: 'INVALID_INPUT', message: expect.stringMatching(/at least 16/u) };
    await expect(localToken(file)).rejects.toMatchObject(expected);
  });

  test('is refused without being shown if it has two lines', async () => {
    const file = await newFile();
    await writeFile(file, 'hush-hush-hush\nhush-hush-hush\n', { mode: 0o600 });
    const message = expect.stringMatching(/^(?!.*hush).*a line break/u) as string;
    await expect(localToken(file)).rejects.toMatchObject({ code: 'INVALID_INPUT', message });
  });

  test('in a file that others can read is made private', async () => {
    const file = await newFile();
    await writeFile(file, 'a-token-of-sixteen-letters');
    await chmod(file, 0o644);
    expect(await localToken(file)).toBe('a-token-of-sixteen-letters');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('is not there at all if the disk takes no byte of it', async () => {
    const file = await newFile();
    const node = [process.execPath, '--input-type=module', '-e', MAKE_TOKEN, file];
    const args = ['-c', 'ulimit -f 0; exec "$@"', 'sh', ...node];
    const child = spawn('/bin/sh', args, { cwd: ROOT, stdio: 'ignore' });
    const [status] = (await once(child, 'exit')) as [number | null];
    expect(status).not.toBe(0);
    expect(await readdir(path.dirname(file))).not.toContain('api-token');
    expect((await localToken(file)).length).toBeGreaterThanOrEqual(43);
  });
});

test('a full log file replaces the previous one', async () => {
  await using held = await temporaryFolder();
  const file = path.join(held.folder, 'logs', 'varve.log');
  using log = openLogFile(file, 'info');
  log.info({ round: 1 }, 'first');
  await writeFile(`${file}.1`, 'long ago');
  await truncate(file, LOG_BYTES_MAX);
  using again = openLogFile(file, 'info');
  again.info({ round: 2 }, 'second');
  expect(await readFile(file, 'utf8')).toMatch(/^\{[^\n]+"msg":"second"\}\n$/u);
  expect((await stat(`${file}.1`)).size).toBe(LOG_BYTES_MAX);
  expect(await readdir(path.dirname(file))).toHaveLength(2);
});

test('a line logged after closing is left out', async () => {
  await using held = await temporaryFolder();
  const file = path.join(held.folder, 'varve.log');
  const log = openLogFile(file, 'info');
  log[Symbol.dispose]();
  log.info({}, 'late');
  expect(await readFile(file, 'utf8')).toBe('');
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'varve-folder-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const modeOf = async (folder: string) => (await stat(folder)).mode & 0o7777;

test('a new or empty data folder is only for its owner', async () => {
  const empty = await newFolder();
  await chmod(empty, 0o755);
  for (const folder of [empty, path.join(await newFolder(), 'new', 'one')]) {
    await makeDataFolder(folder);
    expect(await modeOf(folder)).toBe(0o700);
  }
});

test('an emptied database in a used folder is CORRUPT, not new', async () => {
  await using temporary = await temporaryFolder();
  const paths = { dataDir: temporary.folder, log: SILENT_LOG };
  const file = path.join(temporary.folder, 'varve.db');
  await writeFile(file, '');
  await (await openParts(paths))[Symbol.asyncDispose]();
  await writeFile(path.join(temporary.folder, 'api-token'), 'x'.repeat(32));
  await (await openParts(paths))[Symbol.asyncDispose]();
  for (const end of ['', '-wal', '-shm']) await rm(`${file}${end}`, { force: true });
  await writeFile(file, '');
  await expect(openParts(paths)).rejects.toMatchObject({ code: 'CORRUPT' });
});

test('a folder shared with others keeps its mode', async () => {
  const shared = await newFolder();
  await writeFile(path.join(shared, 'of-somebody'), '');
  await chmod(shared, 0o1777);
  await makeDataFolder(shared);
  expect(await modeOf(shared)).toBe(0o1777);
});

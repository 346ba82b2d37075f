/** The log files of an installation, whose size has an end. */
import { readFile, readdir, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { LOG_BYTES_MAX, openLogFile } from '#cli/stack/log-file.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';

test('a log file that is full becomes the one before, in place of the last one', async () => {
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

test('what is said after the end is left out', async () => {
  await using held = await temporaryFolder();
  const file = path.join(held.folder, 'varve.log');
  const log = openLogFile(file, 'info');
  log[Symbol.dispose]();
  log.info({}, 'late');
  expect(await readFile(file, 'utf8')).toBe('');
});

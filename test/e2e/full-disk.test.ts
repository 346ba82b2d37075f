/** The library on a disk that is really full: a small one that the test mounts. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ROOT, temporaryFolder } from './varve-process.ts';

/** In namespaces of its own a process of any user may mount, where the system has these. */
const OWN_MOUNTS = ['--user', '--map-root-user', '--mount'];
const isMountable = spawnSync('unshare', [...OWN_MOUNTS, 'mount', '-t', 'tmpfs', 'none', tmpdir()]);

/** Writes until the disk is full; then says how the block ended, and what is kept. */
const PROGRAM = `
import { openVarve } from '${pathToFileURL(path.join(ROOT, 'cli', 'open-varve.ts')).href}';
const about = { tenant: 'acme', identifiers: { userId: 'ann' } };
const warned = [];
const log = { debug() {}, info() {}, error() {}, warn: (_, message) => warned.push(message) };
const [folder, task] = process.argv.slice(2);
let added = 0;
try {
  await using varve = await openVarve({ dataDir: folder + '/data', log });
  if (task === 'count') added = (await varve.memory.list(about)).totalCount;
  for (; task === 'fill'; added += 1) {
    const content = 'Fact ' + added + ' ' + 'word '.repeat(500);
    await varve.memory.add({ ...about, layer: 'user', content });
  }
  console.log(JSON.stringify({ added }));
} catch (error) {
  console.log(JSON.stringify({ added, name: error.name, details: error.details, warned }));
}
`;

describe.skipIf(isMountable.status !== 0)('a full disk', () => {
  test('keeps acknowledged writes, and close() does not hide the error of the block', async () => {
    await using folder = await temporaryFolder();
    await writeFile(path.join(folder.path, 'fill.ts'), PROGRAM);
    const disk = path.join(folder.path, 'disk');
    await mkdir(disk);
    const script = `
      mount -t tmpfs -o size=3m none "$1"
      "$2" "$3" "$1" fill
      mount -o remount,size=16m "$1"
      "$2" "$3" "$1" count`;
    const given = [disk, process.execPath, path.join(folder.path, 'fill.ts')];
    const command = [...OWN_MOUNTS, 'sh', '-c', script, 'sh', ...given];
    const { stdout } = await promisify(execFile)('unshare', command);
    const [full, kept] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(full).toEqual({
      added: expect.any(Number) as number,
      name: 'VarveError',
      details: { sqlite: 'SQLITE_FULL' },
      warned: ['the disk is full: the log stays beside the database'],
    });
    expect(full).toHaveProperty(
      'added',
      expect.toSatisfy((added: number) => added > 3),
    );
    expect(kept).toEqual({ added: (full as { added: number }).added });
  });
});

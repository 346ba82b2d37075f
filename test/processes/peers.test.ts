/** Peers of the search benchmark: compiled and run by one Node, and reinstalled if broken. */
import { chmod, glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openPeers, PEERS } from '#bench/search/peers.ts';

/** Tells its version, or answers every question by it; loads nothing that is broken. */
const nodeOf = (version: number): string => `#!/bin/sh
if [ "$1" = --version ]; then echo v${String(version)}.0.0; exit; fi
if [ -e "$2/broken" ]; then exit 1; fi
while read question; do echo '{"cpuMs":${String(version)}}'; done
`;
/** Compiles with the first Node of its PATH, as npm does. */
const NPM = `#!/bin/sh
for folder; do :; done
node --version > "$folder/compiled-by"
`;

async function program(folder: string, name: string, text: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, name), text);
  await chmod(path.join(folder, name), 0o755);
}

test.each([
  ['npm run, which puts another Node first on PATH', true],
  ['a shell', false],
])('peers run with the Node that compiled them, started from %s', async (_, isNpmRun) => {
  const root = await mkdtemp(path.join(tmpdir(), 'varve-peers-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const [own, system] = [path.join(root, 'node_modules', '.bin'), path.join(root, 'bin')];
  await program(own, 'node', nodeOf(24));
  await program(system, 'node', nodeOf(20));
  await program(system, 'npm', NPM);
  const folders = [...(isNpmRun ? [own] : []), system, '/usr/bin', '/bin'];
  const PATH = folders.join(path.delimiter);
  const opened = await openPeers(4, 10, { PATH, VARVE_CACHE_DIR: root });
  if (typeof opened === 'string') throw new Error(opened);
  await using peers = opened;
  await peers.add([]);
  expect(peers.contender(PEERS[0], () => '').cpuMs?.()).toBe(20);
  const compiled = await Array.fromAsync(glob(path.join(root, '**', 'compiled-by')));
  expect(compiled).toHaveLength(1);
  expect(await readFile(compiled[0] ?? '', 'utf8')).toBe('v20.0.0\n');
});

test('broken peers are installed once more, and skipped if they stay broken', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'varve-peers-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const bin = path.join(root, 'bin');
  const runs = path.join(root, 'runs');
  await program(bin, 'node', nodeOf(20));
  await program(bin, 'npm', `${NPM}echo >> ${runs}\n`);
  const PATH = [bin, '/usr/bin', '/bin'].join(path.delimiter);
  const open = async (): Promise<string> => {
    const opened = await openPeers(4, 10, { PATH, VARVE_CACHE_DIR: root });
    if (typeof opened === 'string') return opened;
    await opened[Symbol.asyncDispose]();
    return `opened after ${String((await readFile(runs)).length)}`;
  };
  expect(await open()).toBe('opened after 1');
  expect(await open()).toBe('opened after 1');
  const [folder = ''] = await Array.fromAsync(glob(path.join(root, 'bench-peers-*')));
  await writeFile(path.join(folder, 'broken'), '');
  expect(await open()).toBe('opened after 2');
  await writeFile(path.join(folder, 'broken'), '');
  await program(bin, 'npm', `${NPM}echo >> ${runs}; echo > "$folder/broken"\n`);
  expect(await open()).toBe(`the packages of the peers in ${folder} do not load`);
  expect(await readFile(runs)).toHaveLength(3);
});

import { createHash } from 'node:crypto';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { cacheFolder } from '#providers/temporal/server-cache.ts';
import { obtainTemporal } from '#providers/temporal/server-program.ts';

import { fakePlatform } from './fake-platform.ts';
import type { FakePlatform, Machine } from './fake-platform.ts';

const ARCHIVE = 'an archive';
const ARCHIVES = {
  'linux-x64': {
    query: 'platform=linux&arch=amd64',
    sha256: createHash('sha256').update(ARCHIVE).digest('hex'),
  },
};
const GO = { goVersion: '1.26.8', built: '1.31.2' } as const;
const DOWNLOAD = { archive: ARCHIVE, downloaded: '1.31.2' } as const;

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'varve-obtain-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

interface Case {
  readonly title: string;
  readonly machine: Machine;
  readonly source: string;
  readonly calls: readonly string[];
}

const CASES: readonly Case[] = [
  {
    title: 'a program on PATH is used and nothing else is tried',
    machine: { onPath: '1.31.2', ...DOWNLOAD, ...GO },
    source: 'Path',
    calls: ['temporal --version'],
  },
  {
    title: 'a newer program on PATH is used',
    machine: { onPath: '2.0.0' },
    source: 'Path',
    calls: ['temporal --version'],
  },
  {
    title: 'a program on PATH that is too old is ignored',
    machine: { onPath: '1.30.9', ...DOWNLOAD, ...GO },
    source: 'Download',
    calls: [
      'temporal --version',
      'temporal --version',
      'temporal --version',
      'GET temporal.download',
      'tar -xzf',
      'temporal --version',
    ],
  },
  {
    title: 'a program on PATH that does not run is ignored',
    machine: { onPath: 'Broken', ...DOWNLOAD },
    source: 'Download',
    calls: [
      'temporal --version',
      'temporal --version',
      'temporal --version',
      'GET temporal.download',
      'tar -xzf',
      'temporal --version',
    ],
  },
  {
    title: 'Go builds the program if the vendor cannot be reached',
    machine: GO,
    source: 'Build',
    calls: [
      'temporal --version',
      'temporal --version',
      'GET temporal.download',
      'go version',
      'go build',
      'temporal --version',
    ],
  },
  {
    title: 'an archive that differs from the released one is not unpacked',
    machine: { ...GO, ...DOWNLOAD, archive: 'something else' },
    source: 'Build',
    calls: [
      'temporal --version',
      'temporal --version',
      'GET temporal.download',
      'go version',
      'go build',
      'temporal --version',
    ],
  },
  {
    title: 'a downloaded program that does not run is not kept',
    machine: { ...GO, ...DOWNLOAD, downloaded: 'Broken' },
    source: 'Build',
    calls: [
      'temporal --version',
      'temporal --version',
      'GET temporal.download',
      'tar -xzf',
      'temporal --version',
      'go version',
      'go build',
      'temporal --version',
    ],
  },
];

describe('the source of Temporal', () => {
  test.for(CASES)('TEMPORAL-1: $title', async ({ machine, source, calls }) => {
    const fake = fakePlatform(machine, folder);
    const program = await obtain(fake);
    expect(program.source).toBe(source);
    expect(fake.calls).toEqual(calls);
  });

  test('TEMPORAL-1: the built program is kept without leftovers and used the next time', async () => {
    const first = await obtain(fakePlatform(GO, folder));
    const again = fakePlatform(GO, folder);
    const second = await obtain(again);
    expect(second).toEqual({ ...first, source: 'Cache' });
    expect(again.calls).toEqual(['temporal --version']);
    expect(await readFile(second.path, 'utf8')).toBe('1.31.2');
    expect(await readdir(path.dirname(second.path))).toEqual(['temporal']);
  });

  test('TEMPORAL-1: the output says what is found and why something is ignored', async () => {
    const fake = fakePlatform({ onPath: '1.29.1', ...GO }, folder);
    await obtain(fake);
    expect(fake.lines[0]).toBe(
      'found Temporal server 1.29.1 (on PATH); ignored, since Varve needs 1.31 or newer',
    );
    expect(fake.lines.at(-1)).toBe('found Temporal server 1.31.2 (built)');
  });
});

describe('a machine without Temporal', () => {
  test.for([{}, { goVersion: '1.25.4' }])(
    'TEMPORAL-2: gets one error that lists the three ways out (%j)',
    async (machine) => {
      const failure = obtain(fakePlatform(machine, folder));
      await expect(failure).rejects.toMatchObject({ code: 'PROVIDER_ERROR' });
      await expect(failure).rejects.toThrow(/cli\.sh.*TEMPORAL_ADDRESS.*Install Go 1\.26/su);
    },
  );

  test('TEMPORAL-2: gets the output of the compiler if the build fails', async () => {
    const failure = obtain(fakePlatform({ goVersion: '1.26.0', built: 'Broken' }, folder));
    await expect(failure).rejects.toMatchObject({ code: 'PROVIDER_ERROR' });
    await expect(failure).rejects.toThrow('main.go:1: no');
    const [entry = ''] = await readdir(folder);
    expect(await readdir(path.join(folder, entry))).toEqual([]);
  });
});

describe('the folder of Temporal', () => {
  test.for([
    [{ VARVE_CACHE_DIR: '/c' }, 'linux', '/c'],
    [{ XDG_CACHE_HOME: '/x' }, 'linux', '/x/varve'],
    [{ XDG_CACHE_HOME: 'relative' }, 'linux', '/home/nobody/.cache/varve'],
    [{}, 'linux', '/home/nobody/.cache/varve'],
    [{}, 'darwin', '/home/nobody/Library/Caches/varve'],
  ] as const)('TEMPORAL-3: with %j on %s is %s', ([env, os, expected]) => {
    const { platform } = fakePlatform({}, folder);
    expect(cacheFolder({ ...platform, env, os })).toBe(expected);
  });
});

function obtain(fake: FakePlatform): ReturnType<typeof obtainTemporal> {
  return obtainTemporal({ platform: fake.platform, report: fake.report, archives: ARCHIVES });
}

import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import {
  hasServerRecord,
  removeServerRecord,
  stopOrphan,
  systemProcesses,
  writeServerRecord,
} from '#providers/temporal/server-orphan.ts';
import type { ProcessTable } from '#providers/temporal/server-orphan.ts';

const RECORD = {
  pid: 4_242,
  startedAt: '2026-11-21T10:00:00.000Z',
  ports: { grpc: 1, ui: 2, http: 3, metrics: 4 },
} as const;

let folder = '';
let file = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'varve orphan-'));
  file = path.join(folder, 'temporal-1.31.2.db');
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

interface FakeProcess {
  readonly commandLine: string;
  /** The signal that ends it. */
  readonly endsBy: 'SIGTERM' | 'SIGKILL' | 'never';
}

function processTable(found: FakeProcess | undefined): ProcessTable & { signals: string[] } {
  const signals: string[] = [];
  return {
    signals,
    commandLine(): Promise<string | undefined> {
      const hasEnded = found === undefined || signals.includes(found.endsBy);
      return Promise.resolve(hasEnded ? undefined : found.commandLine);
    },
    signal(_pid, signal): void {
      signals.push(signal);
    },
  };
}

test('TEMPORAL-4: without a record, there is nothing to stop', async () => {
  const processes = processTable(undefined);
  expect(await stopOrphan(file, processes)).toEqual({ kind: 'NoRecord' });
});

test('TEMPORAL-4: a recorded server that has ended counts as gone', async () => {
  writeServerRecord(file, RECORD);
  const processes = processTable(undefined);
  expect(await stopOrphan(file, processes)).toEqual({ kind: 'Gone', pid: RECORD.pid });
  expect(processes.signals).toEqual([]);
});

test.for([
  ['another program', '/usr/bin/editor notes.txt'],
  ['a server on another file', 'temporal server start-dev --db-filename FILE.old --ip 127.0.0.1'],
])('TEMPORAL-4: %s under the recorded process id is left alone', async ([, text = '']) => {
  writeServerRecord(file, RECORD);
  const commandLine = text.replace('FILE', file);
  const processes = processTable({ commandLine, endsBy: 'SIGTERM' });
  expect(await stopOrphan(file, processes)).toEqual({ kind: 'Reused', pid: RECORD.pid });
  expect(processes.signals).toEqual([]);
});

test('TEMPORAL-4: a recorded server is stopped with SIGTERM', async () => {
  writeServerRecord(file, RECORD);
  const commandLine = `temporal server start-dev --db-filename ${file} --ip 127.0.0.1`;
  const processes = processTable({ commandLine, endsBy: 'SIGTERM' });
  const outcome = await stopOrphan(file, processes);
  expect(outcome).toEqual({ kind: 'Stopped', pid: RECORD.pid, signal: 'SIGTERM' });
});

test('TEMPORAL-4: a recorded server that ignores SIGTERM is killed', async () => {
  writeServerRecord(file, RECORD);
  const commandLine = `temporal server start-dev --db-filename ${file}`;
  const processes = processTable({ commandLine, endsBy: 'SIGKILL' });
  const outcome = await stopOrphan(file, processes, 100);
  expect(outcome).toEqual({ kind: 'Stopped', pid: RECORD.pid, signal: 'SIGKILL' });
  expect(processes.signals).toEqual(['SIGTERM', 'SIGKILL']);
});

test('TEMPORAL-4: a recorded server that cannot be stopped is an error', async () => {
  writeServerRecord(file, RECORD);
  const commandLine = `temporal server start-dev --db-filename ${file}`;
  const processes = processTable({ commandLine, endsBy: 'never' });
  await expect(stopOrphan(file, processes, 100)).rejects.toMatchObject({
    code: 'PROVIDER_ERROR',
    details: { pid: RECORD.pid },
  });
});

test.for(['', '{"pid":', '[]', '{"pid":"7"}'])(
  'TEMPORAL-4: a truncated record (%j) names no server',
  async (text) => {
    await writeFile(`${file}.pid`, text);
    const commandLine = `temporal --db-filename ${file}`;
    const processes = processTable({ commandLine, endsBy: 'SIGTERM' });
    expect(await stopOrphan(file, processes)).toEqual({ kind: 'NoRecord' });
  },
);

test('TEMPORAL-4: a record shows an unclean stop until it is removed', async () => {
  expect(await hasServerRecord(file)).toBe(false);
  writeServerRecord(file, RECORD);
  expect(await hasServerRecord(file)).toBe(true);
  await removeServerRecord(file);
  expect(await hasServerRecord(file)).toBe(false);
  expect(await readdir(folder)).toEqual([]);
});

test('TEMPORAL-4: the system has a command line only for a live process', async () => {
  const processes = systemProcesses();
  expect(await processes.commandLine(process.pid)).toContain('node');
  expect(await processes.commandLine(2 ** 22 + 1)).toBeUndefined();
});

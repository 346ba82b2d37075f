import { chmod, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { acquireExclusiveLock } from '#providers/node/exclusive-lock.ts';
import { nodePlatform } from '#providers/temporal/server-platform.ts';
import { startTemporalServer } from '#providers/temporal/server.ts';
import type { StartServerOptions } from '#providers/temporal/server.ts';

/** A start that fails must leave nothing: these stand-ins for the program fail in every way. */
let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'varve-server-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

test('TEMPORAL-7: a program that ends is reported with its last output', async () => {
  const start = startTemporalServer(await optionsFor('echo "Error: boom" >&2; exit 1'));
  await expect(start).rejects.toMatchObject({ code: 'PROVIDER_ERROR' });
  await expect(start).rejects.toThrow('Error: boom');
  await expectNothingLeft();
});

test('TEMPORAL-7: a program that never answers is ended after the timeout', async () => {
  const options = await optionsFor('echo $$ > "$0.pid"; exec sleep 60');
  const start = startTemporalServer({ ...options, readyTimeoutMs: 300 });
  await expect(start).rejects.toMatchObject({ code: 'TIMEOUT' });
  await expectNothingLeft();
  await expectEnded();
});

test('TEMPORAL-7: canceling a start ends the program', async () => {
  const options = await optionsFor('echo $$ > "$0.pid"; exec sleep 60');
  const signal = AbortSignal.timeout(300);
  const start = startTemporalServer({ ...options, signal });
  await expect(start).rejects.toMatchObject({ code: 'CANCELLED' });
  await expectNothingLeft();
  await expectEnded();
});

test('TEMPORAL-7: a missing program is reported with an error code', async () => {
  const options = await optionsFor('exit 0');
  const program = { ...options.program, path: path.join(folder, 'absent') };
  const start = startTemporalServer({ ...options, program });
  await expect(start).rejects.toMatchObject({ code: 'PROVIDER_ERROR' });
  await expectNothingLeft();
});

test('TEMPORAL-7: a port that is in use is replaced by another, at most five times', async () => {
  const script = 'echo "bind: address already in use" >&2; echo x >> "$0.starts"; exit 1';
  const start = startTemporalServer(await optionsFor(script));
  await expect(start).rejects.toMatchObject({ code: 'PROVIDER_ERROR' });
  expect(await readFile(path.join(folder, 'temporal.starts'), 'utf8')).toBe('x\n'.repeat(5));
});

test('TEMPORAL-7: a database file that the program rejects is moved aside once and reported once', async () => {
  const script = 'touch "$4"; echo "file is not a database (26)" >&2; exit 1';
  const lines: string[] = [];
  const report = {
    line: (text: string) => void lines.push(text),
    step: () => undefined,
    finish: () => undefined,
  };
  const start = startTemporalServer({ ...(await optionsFor(script)), report });
  await expect(start).rejects.toMatchObject({ code: 'PROVIDER_ERROR' });
  const aside = (await readdir(folder)).filter((name) => name.includes('.corrupt-'));
  expect(aside).toHaveLength(1);
  expect(lines).toHaveLength(1);
});

test('TEMPORAL-7: the program receives neither keys nor settings for Temporal', async () => {
  const options = await optionsFor('env > "$0.env"; exit 1');
  const env = {
    ...process.env,
    TEMPORAL_ADDRESS: 'elsewhere:7233',
    OPENAI_API_KEY: 'a-secret-key',
    MONGODB_URI: 'mongodb://a:secret@b',
    VARVE_API_TOKEN: 'a-secret-token',
    TZ: 'Europe/Oslo',
  };
  const platform = { ...options.platform, env };
  await expect(startTemporalServer({ ...options, platform })).rejects.toThrow('ended');
  const seen = await readFile(path.join(folder, 'temporal.env'), 'utf8');
  expect(seen).toContain('TZ=Europe/Oslo');
  expect(seen).toContain('PATH=');
  expect(seen).not.toMatch(/TEMPORAL_ADDRESS|secret/u);
});

async function optionsFor(script: string): Promise<StartServerOptions> {
  const file = path.join(folder, 'temporal');
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return {
    platform: nodePlatform(process.env),
    program: { path: file, cliVersion: '1.8.2', serverVersion: '1.31.2', source: 'Path' },
    dbFile: path.join(folder, 'temporal-1.31.2.db'),
    logFile: path.join(folder, 'temporal.log'),
    namespace: 'varve',
  };
}

/** No record of a running server, and the lock is free. */
async function expectNothingLeft(): Promise<void> {
  expect(await readdir(folder)).not.toContain('temporal-1.31.2.db.pid');
  await using lock = await acquireExclusiveLock(path.join(folder, 'temporal-1.31.2.db.lock'));
  expect(lock.path).toContain(folder);
}

async function expectEnded(): Promise<void> {
  const pid = Number(await readFile(path.join(folder, 'temporal.pid'), 'utf8'));
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
}

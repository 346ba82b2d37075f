import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, expect, test } from 'vitest';

const SCRIPTS = fileURLToPath(new URL('../../scripts', import.meta.url));
/** Stands in for npm: writes down each call and makes the folder that npm makes. */
const NPM = `#!/bin/sh
echo "$@" >> npm.calls
sleep 0.3
rm -rf node_modules
mkdir node_modules
echo '{"packages":{}}' > node_modules/.package-lock.json
`;

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

let root = '';
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'varve-install-'));
  await cp(SCRIPTS, path.join(root, 'scripts'), { recursive: true });
  await writeFile(path.join(root, 'package.json'), '{"type":"module"}');
  await writeLockFile('1.0.0');
  await writeFile(path.join(root, 'show.ts'), 'console.log("ran", ...process.argv.slice(2));');
  await writeNpm(NPM);
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

test('INSTALL-1: packages are installed once, and again when the lock file changes', async () => {
  expect(await run('show.ts', 'a', 'b')).toMatchObject({ code: 0 });
  expect(await run('show.ts')).toEqual({ code: 0, output: 'ran\n' });
  expect(await npmCalls()).toBe(1);
  await writeLockFile('1.0.1');
  expect((await run('show.ts', 'x')).output).toContain('ran x');
  expect(await npmCalls()).toBe(2);
});

test('INSTALL-2: concurrent runs install once and leave no lock', async () => {
  const runs = await Promise.all([run('show.ts'), run('show.ts'), run('show.ts')]);
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(await npmCalls()).toBe(1);
  expect(await readdir(root)).not.toContain('.varve');
});

test('INSTALL-3: the lock of a killed process is taken over', async () => {
  const lock = path.join(root, '.varve', 'install.lock');
  await mkdir(lock, { recursive: true });
  await writeFile(path.join(lock, 'pids'), `${2 ** 22 + 1}\n`);
  expect(await run('show.ts')).toMatchObject({ code: 0 });
  expect(await npmCalls()).toBe(1);
});

test('INSTALL-4: if npm fails, its last lines are shown and the status is 69', async () => {
  await writeNpm('#!/bin/sh\nseq 1 40\necho "npm error no such package" >&2\nexit 1\n');
  const { code, output } = await run('show.ts');
  expect(code).toBe(69);
  expect(output).toContain('npm error no such package');
  expect(output).not.toContain('\n20\n');
  expect(await readdir(root)).not.toContain('.varve');
});

test('INSTALL-5: a lock file that npm ci refuses is installed with npm install', async () => {
  const refusal = 'if [ "$1" = ci ]; then echo "npm error code EUSAGE" >&2; exit 1; fi';
  await writeNpm(NPM.replace('\n', `\n${refusal}\n`));
  expect(await run('show.ts')).toMatchObject({ code: 0 });
  expect(await readFile(path.join(root, 'npm.calls'), 'utf8')).toMatch(/^install --no-save /u);
});

test('INSTALL-6: packages that were installed manually are not installed again', async () => {
  await mkdir(path.join(root, 'node_modules'));
  const installed = JSON.stringify({ packages: { 'node_modules/a': { version: '1.0.0' } } });
  await writeFile(path.join(root, 'node_modules', '.package-lock.json'), installed);
  expect(await run('show.ts')).toEqual({ code: 0, output: 'ran\n' });
  await writeLockFile('2.0.0');
  await rm(path.join(root, 'node_modules', '.varve-installed'));
  await run('show.ts');
  expect(await npmCalls()).toBe(1);
});

test.for([
  ['process.exit(7)', 7],
  ['process.kill(process.pid, "SIGKILL")', 137],
  ['process.kill(process.pid, "SIGTERM")', 143],
] as const)('INSTALL-7: the exit status after %s is %d', async ([source, code]) => {
  await writeFile(path.join(root, 'end.ts'), `${source}; setInterval(() => {}, 1000);`);
  expect(await run('end.ts')).toMatchObject({ code });
});

test.for(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'INSTALL-8: %s is passed on once if there is no terminal',
  async (signal) => {
    await run('show.ts');
    await writeFile(path.join(root, 'wait.ts'), countSignals(signal));
    const parent = start('wait.ts');
    await once(parent.stdout, 'data');
    parent.kill(signal);
    const [chunk] = (await once(parent.stdout, 'data')) as [Buffer];
    expect(chunk.toString()).toBe('1\n');
  },
);

test('INSTALL-9: a child is told that its parent was killed', async () => {
  await run('show.ts');
  const source = `
    process.on('disconnect', () => { console.log('alone'); process.exit(); });
    console.log('ready');`;
  await writeFile(path.join(root, 'wait.ts'), source);
  const parent = start('wait.ts');
  await once(parent.stdout, 'data');
  parent.kill('SIGKILL');
  const [chunk] = (await once(parent.stdout, 'data')) as [Buffer];
  expect(chunk.toString()).toBe('alone\n');
});

test('INSTALL-10: without a file to run, the exit status is 2', async () => {
  expect(await run()).toMatchObject({ code: 2 });
});

test.for([
  ['npm was told to end, its program ends too', { npm_lifecycle_event: 'start' }, 'told'],
  ['another parent ended, the program continues', { npm_lifecycle_event: undefined }, 'alone'],
] as const)('INSTALL-11: if %s', async ([, lifecycle, said]) => {
  await run('show.ts');
  const source = `
    process.on('SIGTERM', () => { console.log('told'); process.exit(); });
    process.once('message', () => undefined);
    console.log('ready');
    setTimeout(() => { console.log('alone'); process.exit(); }, 5_000);`;
  await writeFile(path.join(root, 'wait.ts'), source);
  const { npm_execpath: _path, npm_lifecycle_event: _event, ...env } = process.env;
  const shell = spawn('sh', ['-c', `"${process.execPath}" scripts/run.mjs wait.ts; true`], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...env, ...lifecycle, PATH: `${path.join(root, 'bin')}:${env['PATH']}` },
  });
  await once(shell.stdout, 'data');
  shell.kill('SIGTERM');
  const [chunk] = (await once(shell.stdout, 'data')) as [Buffer];
  expect(chunk.toString()).toBe(`${said}\n`);
});

function countSignals(signal: string): string {
  return `
    let count = 0;
    process.on('${signal}', () => {
      count += 1;
      setTimeout(() => { console.log(count); process.exit(); }, 200);
    });
    setInterval(() => {}, 1000);
    console.log('ready');`;
}

function start(...args: readonly string[]) {
  const { npm_execpath: _, ...env } = process.env;
  const script = path.join(root, 'scripts', 'run.mjs');
  return spawn(process.execPath, [script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env, PATH: `${path.join(root, 'bin')}:${process.env['PATH']}` },
  });
}

async function run(...args: readonly string[]): Promise<Ended> {
  const child = start(...args);
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  child.stderr.on('data', (chunk) => (output += String(chunk)));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

async function npmCalls(): Promise<number> {
  const calls = await readFile(path.join(root, 'npm.calls'), 'utf8');
  return calls.trim().split('\n').length;
}

async function writeLockFile(version: string): Promise<void> {
  const lock = { packages: { '': {}, 'node_modules/a': { version } } };
  await writeFile(path.join(root, 'package-lock.json'), JSON.stringify(lock));
}

async function writeNpm(script: string): Promise<void> {
  const file = path.join(root, 'bin', 'npm');
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, script);
  await chmod(file, 0o755);
}

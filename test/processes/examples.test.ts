/** The agents of examples/agents as a person runs them: twice, with a stub model. */
import { spawn, spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startApiServer } from '#api/http-server.ts';
import { apiPortsOf, openParts } from '#cli/composition-root.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import { COMPILE_CACHE, VARVE_MAIN } from '#test/e2e/varve-process.ts';
import { ROOT } from '#test/tidy/source-file.ts';
import { startStubModels, type StubModels } from './stub-models.ts';

const TOLD = 'I live in Braga since May.';
const ASKED = 'Where do I live?';
const LONG = `${TOLD} ${'The letter has more to say. '.repeat(1_000)}`;
/** Each starts three programs, one after the other. */
const SLOW = { timeout: 60_000 };
const TOKEN = 'a-token-of-this-installation';
const PYTHON = path.join(ROOT, 'clients', 'python', 'src');
const LEAST = 'import sys; sys.exit(sys.version_info < (3, 10))';
/** Python leaves nothing beside its sources. */
const NO_CACHE = { PYTHONDONTWRITEBYTECODE: '1' };
const hasPython = spawnSync('python3', ['-c', LEAST]).status === 0;
if (!hasPython) process.stderr.write('no Python 3.10 or newer: its example is not tested here\n');

let models: StubModels;
let folder = '';
const held = new AsyncDisposableStack();
beforeAll(async () => {
  models = held.use(await startStubModels());
});
afterAll(() => held.disposeAsync());

let own: AsyncDisposableStack;
beforeEach(async () => {
  own = held.use(new AsyncDisposableStack());
  ({ folder } = own.use(await temporaryFolder()));
});

/** Runs an example in the folder with one line on its standard input. */
async function say(name: string, line: string, env: Readonly<Record<string, string>> = {}) {
  const keys = { OPENAI_API_KEY: 'none', AI_GATEWAY_API_KEY: 'none' };
  const urls = { OPENAI_BASE_URL: models.url, AI_GATEWAY_BASE_URL: models.url };
  const program = name.endsWith('.py') ? 'python3' : process.execPath;
  const child = spawn(program, [path.join(folder, name)], {
    cwd: folder,
    env: { ...process.env, ...keys, ...urls, ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.end(`${line}\n`);
  const status = await new Promise((resolve) => child.on('close', resolve));
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.trim();
}

/** A project that has installed Varve and what the examples import. */
async function project(name: string): Promise<void> {
  const modules = path.join(folder, 'node_modules');
  const varve = path.join(modules, 'varve');
  const programs = path.join(modules, '.bin');
  for (const each of [varve, programs]) await mkdir(each, { recursive: true });
  for (const each of ['ai', 'openai', '@langchain', '@modelcontextprotocol', '@openai']) {
    await symlink(path.join(ROOT, 'node_modules', each), path.join(modules, each));
  }
  const exported: Record<string, string> = {};
  for (const [entry, source] of [
    ['.', 'cli/open-varve.ts'],
    ['./ai-sdk', 'ai-sdk/index.ts'],
  ] as const) {
    const file = `${source.replaceAll('/', '-')}.mjs`;
    exported[entry] = `./${file}`;
    const code = `export * from ${JSON.stringify(path.join(ROOT, source))};\n`;
    await writeFile(path.join(varve, file), code);
  }
  await writeFile(path.join(varve, 'package.json'), JSON.stringify({ exports: exported }));
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
  const command = path.join(programs, 'varve');
  // Clients of MCP pass on little of the environment.
  const set = `NODE_COMPILE_CACHE="${COMPILE_CACHE.NODE_COMPILE_CACHE}"`;
  const exec = `${set} exec "${process.execPath}" "${VARVE_MAIN}" "$@"`;
  await writeFile(command, `#!/bin/sh\n${exec}\n`);
  await chmod(command, 0o755);
  await copyFile(path.join(ROOT, 'examples', 'agents', name), path.join(folder, name));
}

const PROGRAMS = ['plain-loop', 'ai-sdk', 'langgraph', 'mcp-client', 'openai-agents'] as const;

describe.each(PROGRAMS.map((name) => `${name}.ts`))('%s', (name) => {
  test(
    'what a user says in one run is known in the next, and only to that user',
    SLOW,
    async () => {
      await project(name);
      expect(await say(name, TOLD)).toBe('Noted.');
      expect(await say(name, ASKED)).toBe('You live in Braga.');
      expect(await say(name, ASKED, { VARVE_USER: 'bob' })).toBe('I do not know.');
    },
  );
});

test.each(['plain-loop.ts', 'langgraph.ts'])(
  '%s takes a blank line and a message that is longer than a query',
  SLOW,
  async (name) => {
    await project(name);
    expect(await say(name, `\n${LONG}`)).toBe('Noted.');
    expect(await say(name, ASKED)).toBe('You live in Braga.');
  },
);

describe.skipIf(!hasPython)('plain_loop.py', () => {
  test(
    'what a user says in one run is known in the next, and only to that user',
    SLOW,
    async () => {
      const parts = own.use(await openParts({ dataDir: folder, log: SILENT_LOG }));
      const ports = apiPortsOf(parts, NO_REFRESH_TRIGGER, null);
      const options = { ports, host: '127.0.0.1', port: 0, token: TOKEN };
      const { url } = own.use(await startApiServer(options));
      const name = 'plain_loop.py';
      await project(name);
      const env = { VARVE_API_URL: url, VARVE_API_TOKEN: TOKEN, PYTHONPATH: PYTHON, ...NO_CACHE };
      expect(await say(name, `\n${LONG}`, env)).toBe('Noted.');
      expect(await say(name, ASKED, env)).toBe('You live in Braga.');
      expect(await say(name, ASKED, { ...env, VARVE_USER: 'bob' })).toBe('I do not know.');
    },
  );
});

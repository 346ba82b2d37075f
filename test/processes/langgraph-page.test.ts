/** The examples of docs/langgraph.md run as printed. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readProjectFile, ROOT } from '#test/tidy/source-file.ts';

/** Each example is a process of its own, beside all that a busy machine does. */
const STARTED_WITHIN_MS = 60_000;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'varve-page-'));
  await writeFile(path.join(folder, 'package.json'), '{"type": "module"}');
  // Where the packages of a project lie.
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What an example of the page in a language prints, run in an empty folder. */
async function printed(index: number, language = 'ts'): Promise<string> {
  const { text } = readProjectFile('docs/langgraph.md');
  const samples = [...text.matchAll(/```(\w+)\n([\s\S]+?)```/gu)];
  const sample = samples.filter(([, named]) => named === language)[index]?.[2] ?? '';
  expect(sample).toContain("from 'varve");
  const code = sample
    .replace("'varve/langgraph'", urlOf('langgraph', 'index.ts'))
    .replace("'varve'", urlOf('cli', 'open-varve.ts'));
  const file = path.join(folder, `example-${language}-${String(index)}.ts`);
  await writeFile(file, code);
  const env = { ...process.env, OPENAI_API_KEY: 'none' };
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: folder, env });
  return stdout;
}

function urlOf(...parts: readonly string[]): string {
  return `'${pathToFileURL(path.join(ROOT, ...parts)).href}'`;
}

test(
  'the example of an agent shows in one thread what the user said in another',
  async () => {
    const stdout = await printed(0);
    expect(stdout).toContain('user: I moved to Bern in May.');
    expect(stdout).toContain('## Question\nWhere do I live?');
  },
  STARTED_WITHIN_MS,
);

test(
  'the example of a running summary runs, summarizes and calls its hook',
  async () => {
    const stdout = await printed(1);
    expect(stdout).toContain('messages leave thread ann');
    expect(stdout).toContain('Summary of the conversation so far: Ann moves to Bern on May 4.');
    expect(stdout).toMatch(/I read [2-4] messages\./u);
  },
  STARTED_WITHIN_MS,
);

test(
  'the store example runs and finds the item that it put',
  async () => {
    expect(await printed(2)).toBe('home Ann moves to Bern on May 4.\n');
  },
  STARTED_WITHIN_MS,
);

test(
  'the example with the model of a tenant runs with its policy',
  async () => {
    expect(await printed(0, 'js')).toBe('');
  },
  STARTED_WITHIN_MS,
);

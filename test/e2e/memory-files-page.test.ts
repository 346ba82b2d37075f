/**
 * The examples of docs/memory-files.md and dreams.md: the program runs, and every command exists.
 */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROOT, runVarve, temporaryFolder } from './varve-process.ts';

const SPECIFIER = "from 'varve'";

async function blocksOf(language: string): Promise<string> {
  const pages = await Promise.all(
    ['memory-files.md', 'dreams.md'].map((name) => readFile(path.join(ROOT, 'docs', name), 'utf8')),
  );
  const blocks = pages
    .join('\n')
    .matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]+?)\`\`\``, 'gu'));
  return [...blocks].map(([, block = '']) => block).join('');
}

test('DOCS-1: the program of the pages writes MEMORY.md and shows its sources', async () => {
  await using folder = await temporaryFolder();
  const code = await blocksOf('ts');
  expect(code).toContain(SPECIFIER);
  const entry = pathToFileURL(path.join(ROOT, 'cli', 'open-varve.ts')).href;
  const file = path.join(folder.path, 'example.ts');
  await writeFile(path.join(folder.path, 'package.json'), '{"type": "module"}');
  await writeFile(file, code.replace(SPECIFIER, `from '${entry}'`));
  const options = { cwd: folder.path };
  const { stdout } = await promisify(execFile)(process.execPath, [file], options);
  expect(stdout).toMatch(
    /^- The new checkout launches on December 1, 2026\.\n \[ '[\w-]{36}' \]$/mu,
  );
});

test('DOCS-1: every command of the pages exists, with the options that it is given', async () => {
  const asked = new Map<string, Set<string>>();
  for (const line of (await blocksOf('sh')).split('\n').filter((each) => each !== '')) {
    const [, group = '', name = '', rest = ''] = /^npx varve (\w+) (\w+)(.*)$/u.exec(line) ?? [];
    const known = asked.get(`${group} ${name}`) ?? new Set();
    for (const [option] of rest.matchAll(/--?[a-z-]+/gu)) known.add(option);
    asked.set(`${group} ${name}`, known);
  }
  expect(asked.size).toBe(11);
  for (const [command, options] of asked) {
    const { status, stdout } = await runVarve([...command.split(' '), '--help']);
    expect(status).toBe(0);
    expect(stdout).toContain(`Usage: varve ${command} `);
    for (const option of options) expect(stdout).toContain(option);
  }
});

/** The examples of the README run as printed, in order. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readProjectFile, ROOT } from './source-file.ts';

const Manifest = z.object({
  name: z.string(),
  exports: z.object({ '.': z.object({ types: z.string() }) }),
});

describe('the README', () => {
  test('DOCS-1: the library example runs, and answers from what it stored', async () => {
    const { text } = readProjectFile('README.md');
    const code = [...text.matchAll(/```ts\n([\s\S]+?)```/gu)].map(([, block]) => block).join('');
    const { name, exports } = Manifest.parse(JSON.parse(readProjectFile('package.json').text));
    const specifier = `from '${name}'`;
    expect(code).toContain(specifier);
    const source = exports['.'].types.replace('dist/types/', '').replace('.d.ts', '.ts');
    const entry = pathToFileURL(path.join(ROOT, source)).href;

    const folder = await mkdtemp(path.join(tmpdir(), 'varve-readme-'));
    try {
      const file = path.join(folder, 'example.ts');
      await writeFile(path.join(folder, 'package.json'), '{"type": "module"}');
      await writeFile(file, code.replace(specifier, `from '${entry}'`));
      const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: folder });
      expect(stdout).toContain('I am allergic to peanuts, please remember that.');
      expect(stdout).toContain('- project: Checkout launches on December 1.');
      expect(stdout).toContain('user: Dana wants the decision first.');
      expect(stdout).toMatch(/\d+ of 3000 tokens/u);
      expect(stdout).toMatch(/found 0\.\d+ memory: Checkout launches on December 1\./u);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

/** The example of docs/ai-sdk.md runs as printed. */
import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import { readProjectFile, ROOT } from '#test/tidy/source-file.ts';

test('the example of docs/ai-sdk.md runs as it stands', async () => {
  await using temporary = await temporaryFolder();
  const { folder } = temporary;
  const page = readProjectFile('docs/ai-sdk.md').text;
  const [, sample = ''] = /```ts\n([\s\S]+?)```/u.exec(page) ?? [];
  const modules = path.join(folder, 'node_modules');
  const own = path.join(modules, 'varve');
  await mkdir(own, { recursive: true });
  await symlink(path.join(ROOT, 'node_modules', 'ai'), path.join(modules, 'ai'));
  const entries = { '.': 'cli/open-varve.ts', './ai-sdk': 'ai-sdk/index.ts' };
  const exported: Record<string, string> = {};
  for (const [name, source] of Object.entries(entries)) {
    const file = `${source.replaceAll('/', '-')}.mjs`;
    exported[name] = `./${file}`;
    const code = `export * from ${JSON.stringify(path.join(ROOT, source))};\n`;
    await writeFile(path.join(own, file), code);
  }
  await writeFile(path.join(own, 'package.json'), JSON.stringify({ exports: exported }));
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(path.join(folder, 'example.ts'), sample);
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['example.ts'], { cwd: folder });
  expect(stdout).toContain('I moved to Braga in May.');
});

import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { detectInput, filesOf } from '#cli/import/detect-format.ts';
import type { Skipped } from '#cli/import/import-item.ts';
import { fileOf, folderOf, imported, jsonLines } from './input-folder.ts';

describe('importing folders', () => {
  test('IMPORT-7: reads the files of every folder, sorted, without hidden and foreign ones', async () => {
    const folder = folderOf({
      'b.md': 'b',
      'a/z.txt': 'z',
      'a/B.markdown': 'B',
      'a/c.rst': 'c',
      'logo.png': 'x',
      '.git/x.md': 'x',
      'node_modules/x.md': 'x',
      'sub/node_modules/y/x.md': 'x',
    });
    const { kind, files, bytes } = await detectInput(folder);
    expect(kind).toBe('folder');
    expect(files.map(({ path }) => path.slice(folder.length + 1))).toEqual([
      'a/B.markdown',
      'a/c.rst',
      'a/z.txt',
      'b.md',
    ]);
    expect(bytes).toBe(4);
  });

  test('IMPORT-7: follows no symbolic links, and so no loops', async () => {
    const folder = folderOf({ 'a/b.md': 'text' });
    symlinkSync(folder, join(folder, 'a', 'loop'));
    symlinkSync(join(folder, 'a', 'b.md'), join(folder, 'again.md'));
    expect((await detectInput(folder)).files).toHaveLength(1);
  });

  test('IMPORT-7: refuses more files than the limit, and the error names the limit', async () => {
    const folder = folderOf({ 'a/1.md': '', 'a/2.md': '', 'b/3.md': '' });
    expect(await filesOf(folder, 'folder', 3)).toHaveLength(3);
    await expect(filesOf(folder, 'folder', 2)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('2 files'),
    });
  });

  test('IMPORT-8: names folder, file and section in the key, so a second import updates', async () => {
    const folder = folderOf({ 'docs/guide.md': '# A\n\nOne.\n\n## B\n\nTwo.', 'docs/n.txt': 'x' });
    const first = await imported(join(folder, 'docs'));
    expect(first.map((item) => (item.kind === 'memory' ? item.key : null))).toEqual([
      'docs/guide.md#a',
      'docs/guide.md#a/b',
      'docs/n.txt#1',
    ]);
    expect(await imported(join(folder, 'docs'))).toEqual(first);
    const alone = await imported(join(folder, 'docs', 'guide.md'));
    expect(alone).toEqual(first.slice(0, 2));
    expect(first[1]).toMatchObject({ metadata: { file: 'docs/guide.md', heading: 'A > B' } });
  });

  test('IMPORT-8: keeps keys unique and limits their length, however long the path', async () => {
    const heading = 'word '.repeat(15);
    const deep = [1, 2, 3, 4, 5].map((level) => `${'#'.repeat(level)} ${heading}`).join('\n');
    const items = await imported(fileOf('a.md', `${deep}\n\nOne.\n\n##### ${heading}\n\nTwo.`));
    const keys = items.map((item) => (item.kind === 'memory' ? (item.key ?? '') : ''));
    expect(new Set(keys).size).toBe(2);
    for (const key of keys) expect(key.length).toBeLessThanOrEqual(256);
  });

  test('IMPORT-9: skips and reports files that are not meant for import', async () => {
    const folder = folderOf({
      'package.json': '{\n  "name": "x"\n}',
      'tsconfig.json': '{\n  // comment\n}',
      'rows.jsonl': jsonLines({ a: 1 }, { a: 2 }),
      'empty.md': '',
      'notes.md': 'Text.',
    });
    const skipped: Skipped[] = [];
    const items = await imported(folder, { onSkip: (each) => skipped.push(each) });
    expect(items).toHaveLength(1);
    expect(skipped.map(({ kind }) => kind)).toEqual(['empty', 'foreign', 'foreign', 'foreign']);
  });

  test('IMPORT-9: stops at a broken file meant for import, unless invalid files are skipped', async () => {
    const folder = folderOf({ 'a.md': 'Text.', 'chat.json': '[{"role": "user",', 'z.md': 'End.' });
    await expect(imported(folder)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    const skipped: Skipped[] = [];
    const options = { skipInvalid: true, onSkip: (each: Skipped) => skipped.push(each) };
    expect(await imported(folder, options)).toHaveLength(2);
    expect(skipped.map(({ kind }) => kind)).toEqual(['invalid']);
  });

  test('IMPORT-9: makes two sessions of chats with the same name in different folders', async () => {
    const chat = jsonLines({ role: 'user', content: 'Hi' });
    const folder = folderOf({ 'in/a/chat.jsonl': chat, 'in/b/chat.jsonl': chat });
    const items = await imported(join(folder, 'in'));
    expect(items.map((item) => (item.kind === 'turn' ? item.sessionId : ''))).toEqual([
      'in-a-chat',
      'in-b-chat',
    ]);
  });

  test('IMPORT-10: reports growing progress up to the total', async () => {
    const chat = jsonLines({ role: 'user', content: 'Hi' }).repeat(3_000);
    const folder = folderOf({ 'a.md': 'Text.', 'b.jsonl': chat, 'c.txt': 'End.' });
    const seen: number[] = [];
    let total = 0;
    await imported(folder, {
      onProgress: ({ bytesRead, bytesTotal }) => {
        seen.push(bytesRead);
        total = bytesTotal;
      },
    });
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(seen.length).toBeGreaterThan(4);
    expect(seen.at(-1)).toBe(total);
  });

  test('IMPORT-10: stops when aborted', async () => {
    const folder = folderOf({ 'a.md': 'Text.' });
    await expect(imported(folder, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
  });
});

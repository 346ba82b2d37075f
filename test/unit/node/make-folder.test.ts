import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeFolder } from '#providers/node/make-folder.ts';

const root = mkdtempSync(path.join(tmpdir(), 'varve-make-folder-'));
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});
writeFileSync(path.join(root, 'file'), '');
symlinkSync(path.join(root, 'nowhere'), path.join(root, 'dangling'));
mkdirSync(path.join(root, 'there'));

test('a folder is made with those above it, each with the mode', () => {
  const folder = path.join(root, 'a', 'b');
  expect(makeFolder(folder, 0o700)).toBe(path.dirname(folder));
  for (const each of [folder, path.dirname(folder)]) {
    expect(statSync(each).mode & 0o777).toBe(0o700);
  }
});

test('a folder that exists is left as it is', () => {
  expect(makeFolder(path.join(root, 'there'))).toBeUndefined();
});

test.each([
  ['is a file', 'file', 'EEXIST'],
  ['leads through a file', 'file/x/y', 'ENOTDIR'],
  ['is a link to nothing', 'dangling', 'ENOENT'],
])('a folder whose path %s is refused', (_, place, code) => {
  expect(() => makeFolder(path.join(root, place))).toThrow(expect.objectContaining({ code }));
});

test.runIf(existsSync('/proc/self'))('a folder that /proc refuses ends at once', () => {
  for (const folder of ['/proc/varve', '/proc/varve/store']) {
    expect(() => makeFolder(folder)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  }
});

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const PROGRAM = new URL(
  '../../../../providers/sqlite/search/search-thread-program.ts',
  import.meta.url,
);
/** What is imported, but for types. */
const IMPORT = /^import (?!type )[^;]*?'([^']+)';$/gmu;

function importedFrom(file: string, seen: Set<string>): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
    if (/^[#.]/u.test(name)) importedFrom(createRequire(file).resolve(name), seen);
    else seen.add(name);
  }
  return seen;
}

test('a search thread loads no package, since the first search waits for it', () => {
  const imported = [...importedFrom(fileURLToPath(PROGRAM), new Set())];
  const others = imported.filter((name) => !name.endsWith('.ts'));
  expect(imported.length - others.length).toBeGreaterThan(20);
  expect(others.filter((name) => !name.startsWith('node:'))).toEqual([]);
});

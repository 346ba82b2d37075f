import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readProjectFile, ROOT } from '#test/tidy/source-file.ts';

/** Dependencies of Varve itself, which npm installs with it. */
const OWN: readonly string[] = ['zod'];

test('the install line of the page has every package that the entry imports, types included', () => {
  const sources = readdirSync(path.join(ROOT, 'langgraph'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readProjectFile(`langgraph/${name}`).text)
    .join('\n');
  const imported = [...sources.matchAll(/from '(?<name>@[\w-]+\/[\w-]+|[a-z][\w-]*)[/']/gu)]
    .map((found) => found.groups?.['name'] ?? '')
    .filter((name) => !OWN.includes(name));
  const line = /^ {4}npm install (?<packages>.+)$/mu.exec(
    readProjectFile('docs/langgraph.md').text,
  );
  const installed = line?.groups?.['packages']?.split(' ') ?? [];
  expect(installed.toSorted()).toEqual([...new Set(imported)].toSorted());
});

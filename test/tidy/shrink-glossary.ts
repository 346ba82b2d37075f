/** `node test/tidy/shrink-glossary.ts`: takes names that are gone out of glossary-known.json. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { namesOf, synonymsOf, wordsOfGlossary } from './rules/glossary.ts';
import { projectFiles, readProjectFile, ROOT, type Finding } from './source-file.ts';

const FILE = path.join(ROOT, 'test/tidy/glossary-known.json');

/** Names of before the glossary; the list only gets shorter. */
export function knownNames(): readonly string[] {
  return z.array(z.string()).parse(JSON.parse(readFileSync(FILE, 'utf8')));
}

/** What the glossary says to the names of the project that are not known. */
export function newSynonyms(): readonly Finding[] {
  const synonyms = synonymsOf(readProjectFile('docs/glossary.md'));
  const known = new Set(knownNames());
  return projectFiles(ROOT).flatMap((file) => wordsOfGlossary(file, synonyms, known));
}

const [, started = ''] = process.argv;
if (import.meta.url === pathToFileURL(started).href) {
  const names = new Set(
    projectFiles(ROOT).flatMap((file) => namesOf(file).map(({ name }) => name)),
  );
  const left = knownNames().filter((name) => names.has(name));
  writeFileSync(FILE, `${JSON.stringify(left, null, 2)}\n`);
  process.stdout.write(`${String(left.length)} names are left\n`);
}

/** Each rule finds the violations that it is for, at their lines, and nothing else. */
import { describe, expect, test } from 'vitest';
import { findLoops } from './find-loops.ts';
import { allowedImports } from './rules/arrows.ts';
import { synonymsOf, wordsOfGlossary } from './rules/glossary.ts';
import { kebabCase } from './rules/names.ts';
import {
  licensed,
  lockedPlatforms,
  lockWithoutAddresses,
  pinnedVersions,
  reasonsOfPackages,
} from './rules/packages.ts';
import { linksLead, noMachinePaths, nothingBuilt } from './rules/places.ts';
import { environmentInOnePlace, purePlaces } from './rules/purity.ts';
import { importCycles } from './rules/import-cycles.ts';
import { lintRulesSet, offRulesExplained, referencesFollowArrows } from './rules/settings.ts';
import { shortLines } from './rules/size.ts';
import { noModuleMocks } from './rules/testing.ts';
import type { Finding, Rule, SourceFile } from './source-file.ts';

const links = linksLead(new Set(['README.md', 'docs/errors.md']));

/** A rule, a path, a text, and the line where the rule must speak. */
type Sample = readonly [rule: Rule, path: string, text: string, line: number];

const BAD: readonly Sample[] = [
  [shortLines, 'core/a.ts', `x();\n// ${'y'.repeat(98)}`, 2],
  [shortLines, 'test/a.test.ts', `test('${'y'.repeat(120)}', () => {});`, 1],
  [kebabCase, 'core/hashOf.ts', '', 1],
  [kebabCase, 'core/Source_Hash/a.ts', '', 1],
  [allowedImports, 'core/a.ts', `import { readFile } from 'node:fs';`, 1],
  [allowedImports, 'core/a.ts', `\nimport { pino } from 'pino';`, 2],
  [allowedImports, 'core/a.ts', `export type A = import('pino').A;`, 1],
  [allowedImports, 'api/a.ts', `const a = await import('pino');`, 1],
  [allowedImports, 'workflows/a.ts', `import { setTimeout } from 'node:timers';`, 1],
  [allowedImports, 'cli/a.ts', `import path from 'path';`, 1],
  [allowedImports, 'newcomers/a.ts', '', 1],
  [environmentInOnePlace, 'core/a.ts', `x();\nconst a = process.env['A'];`, 2],
  [environmentInOnePlace, 'cli/main.ts', `const a = process.env['HOME'];`, 1],
  [environmentInOnePlace, 'cli/main.ts', `const a = process.env;`, 1],
  [purePlaces, 'core/a.ts', 'const now = Date.now();', 1],
  [purePlaces, 'core/a.ts', 'const now = new Date();', 1],
  [purePlaces, 'core/a.ts', 'const id = randomUUID();', 1],
  [purePlaces, 'workflows/a.ts', 'const id = Math.random();', 1],
  [noModuleMocks, 'test/a.test.ts', `x();\nvi.mock('#core/a.ts');`, 2],
  [noModuleMocks, 'test/a.test.ts', `vi.doMock('#core/a.ts', () => ({}));`, 1],
  [noModuleMocks, 'test/a.test.ts', `jest.mock('#core/a.ts');`, 1],
  [noMachinePaths, 'docs/a.md', 'See\n/home/jane/varve for it.', 2],
  [noMachinePaths, 'core/a.ts', `const a = '/tmp/varve';`, 1],
  [nothingBuilt, 'core/errors.js', '', 1],
  [nothingBuilt, 'examples/varve.db', '', 1],
  [links, 'docs/a.md', 'One.\nSee [that](errors.mb).', 2],
  [links, 'README.md', '[code](core/hash.ts#L1)', 1],
];

const GOOD: readonly (readonly [rule: Rule, path: string, text: string])[] = [
  [kebabCase, 'charts/varve/templates/_helpers.tpl', ''],
  [kebabCase, '.oxlintrc.json', ''],
  [allowedImports, 'core/a.ts', `import { z } from 'zod'; import { b } from './b.ts';`],
  [allowedImports, 'workflows/a.ts', `import { b } from '#core/b.ts';`],
  [allowedImports, 'providers/sqlite/migrations/a.ts', `import { b } from '../b.ts';`],
  [allowedImports, 'test/a.test.ts', `import { b } from '#cli/b.ts';`],
  [allowedImports, 'vitest.config.ts', `import { defineConfig } from 'vitest/config';`],
  [environmentInOnePlace, 'cli/config.ts', 'const a = process.env;'],
  [environmentInOnePlace, 'bench/a.ts', 'const a = process.env;'],
  [environmentInOnePlace, 'cli/main.ts', 'readConfig(process.env, {});'],
  [environmentInOnePlace, 'cli/main.ts', `process.env['VARVE_LOG_LEVEL'] === 'debug';`],
  [purePlaces, 'workflows/a.ts', 'const now = Date.now();'],
  [purePlaces, 'core/a.ts', 'const month = new Date(now).toISOString();'],
  [purePlaces, 'api/a.ts', 'const now = Date.now();'],
  [noModuleMocks, 'test/a.test.ts', 'const log = vi.fn();'],
  [noMachinePaths, 'test/a.ts', `const a = '/home/nobody/.cache'; const b = 'wss://a/tmp/b';`],
  [links, 'docs/a.md', '[a](../README.md) [b](errors.md#x) [c](https://example.org) [d](../docs/)'],
];

describe('a rule for one file', () => {
  test.each(BAD.map(named))('TIDY-21: $name reports sample $index', ({ sample }) => {
    const [rule, path, text, line] = sample;
    expect(rule({ path, text })).toMatchObject([{ path, line }]);
  });

  test.each(GOOD.map(named))('TIDY-22: $name accepts sample $index', ({ sample }) => {
    const [rule, path, text] = sample;
    expect(rule({ path, text })).toEqual([]);
  });
});

describe('a loop in the background', () => {
  test.each([
    ['setInterval(look, 5);', ['a.ts module']],
    ['function f() { setTimeout(() => go(), 5); }', ['a.ts f']],
    ['const f = async () => { for (;;) await go(); };', ['a.ts f']],
    ['class A { async #f() { while (is()) { await go(); } } }', ['a.ts #f']],
    ['const f = async () => { do { await go(); } while (is()); };', ['a.ts f']],
    ['async function f() { for (let n = 0; n < 5; n += 1) await go(); }', []],
    ['async function f() { while (is()) { list.map(async (each) => await each); } }', []],
    ["import { setTimeout } from 'node:timers/promises'; await setTimeout(5);", []],
  ])('is found in the source text: %s', (text, places) => {
    expect(findLoops({ path: 'a.ts', text }).map(({ place }) => place)).toEqual(places);
  });
});

describe('a rule for the project', () => {
  const reasons = file('dependencies.md', '| `zod` | schemas |\n| `pino` | logs |\n| `zod` | x |');

  test('TIDY-5: reports a replaced word in a file name or an export of the product', () => {
    const row = '| word | means | not |\n| --- | --- | --- |\n| chunk | a part | piece, cut up |';
    const synonyms = synonymsOf(file('docs/glossary.md', `${row}\n| memory | a record |  |\n`));
    expect([...synonyms]).toEqual([
      ['piece', 'chunk'],
      ['cut up', 'chunk'],
    ]);
    const text = 'export const a = 1;\nexport function cutUpAll() {}\nexport type Piecemeal = 1;\n';
    const of = (path: string) => places(wordsOfGlossary(file(path, text), synonyms));
    expect(of('core/text-piece.ts')).toEqual(['core/text-piece.ts:1', 'core/text-piece.ts:2']);
    expect(of('test/a.ts')).toEqual([]);
  });

  test('reports folders of a part that import each other, with each import', () => {
    const files = [
      file('core/a/one.ts', `import { b } from '../b/two.ts';\nimport { d } from './d.ts';`),
      file('core/b/two.ts', `import { c } from '#core/c.ts';`),
      file('core/c.ts', `\nexport type { A } from './a/one.ts';`),
      file('core/top.ts', `import { a } from './a/one.ts';`),
      file('core/b/low.ts', `import { d } from '../low/d.ts';`),
      file('api/a/one.ts', `import { b } from '#core/b/two.ts';`),
    ];
    expect(places(importCycles(files))).toEqual([
      'core/a/one.ts:1',
      'core/b/two.ts:1',
      'core/c.ts:2',
    ]);
  });

  test('TIDY-23: reports a dependency without a reason, and a reason without a dependency', () => {
    const manifest = file('package.json', '{"dependencies": {"zod": "4.6.7", "yaml": "2.9.1"}}');
    const found = reasonsOfPackages(manifest, reasons);
    expect(places(found)).toEqual(['package.json:1', 'dependencies.md:2', 'dependencies.md:3']);
  });

  test('TIDY-24: reports a version range, and an address in the lock file', () => {
    const manifest = file('package.json', '{\n"devDependencies": {\n"zod": "^4.6.7"}}');
    const lock = file('package-lock.json', '{\n"resolved": "https://registry.example/zod"}');
    expect(places(pinnedVersions(manifest))).toEqual(['package.json:3']);
    expect(places(lockWithoutAddresses(lock))).toEqual(['package-lock.json:2']);
  });

  test('reports a lock file without the native package of a platform', () => {
    const parent = { optionalDependencies: { 'x-linux': '1.0.0', 'x-darwin': '1.0.0' } };
    const packages = { 'node_modules/x': parent, 'node_modules/y/node_modules/x-linux': {} };
    const lock = file('package-lock.json', JSON.stringify({ packages }));
    expect(lockedPlatforms(lock)).toMatchObject([
      { problem: expect.stringContaining('x-darwin is not locked') as string },
    ]);
  });

  test('TIDY-25: reports a wrong license and a missing license text', () => {
    const manifest = file('package.json', '{"license": "MIT"}');
    expect(places(licensed(manifest, file('LICENSE', 'Apache License')))).toEqual([
      'package.json:1',
      'LICENSE:1',
    ]);
  });

  test('TIDY-26: reports a lint rule that is turned off', () => {
    const config = file('.oxlintrc.json', '{"rules": {"max-lines": "off"}}');
    expect(lintRulesSet(config).map(({ problem }) => problem)).toContain(
      'set "max-lines" to ["error",{"max":600}]',
    );
  });

  test('TIDY-35: reports a disabled lint rule without a reason, and a reason for an enabled one', () => {
    const config = file('.oxlintrc.json', '{"rules": {"no-shadow": "off", "no-eval": "error"}}');
    const record = file('record.md', '| `no-eval` | because |');
    expect(places(offRulesExplained(config, record))).toEqual(['.oxlintrc.json:1', 'record.md:1']);
  });

  test('TIDY-27: reports a compiler reference that the layering forbids', () => {
    const config = file('core/tsconfig.json', '{"references": [{"path": "../api"}]}');
    const deep = file('providers/sqlite/tsconfig.json', '{"references": [{"path": "../../core"}]}');
    expect(places(referencesFollowArrows(config))).toEqual(['core/tsconfig.json:1']);
    expect(referencesFollowArrows(deep)).toEqual([]);
  });
});

function named<T extends readonly [Rule, ...unknown[]]>(sample: T, index: number) {
  return { sample, index, name: sample[0].name };
}

function file(path: string, text: string): SourceFile {
  return { path, text };
}

function places(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ path, line }) => `${path}:${String(line)}`);
}

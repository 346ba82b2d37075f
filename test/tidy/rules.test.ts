/** Each rule finds what it is there for, at its line, and lets what is right pass. */
import { describe, expect, test } from 'vitest';
import { allowedImports } from './rules/arrows.ts';
import { noEmptyCatch } from './rules/failures.ts';
import { kebabCase, tellingExports, tellingPlaces } from './rules/names.ts';
import {
  licensed,
  lockWithoutAddresses,
  pinnedVersions,
  reasonsOfPackages,
} from './rules/packages.ts';
import { linksLead, noMachinePaths, nothingBuilt } from './rules/places.ts';
import { environmentInOnePlace, purePlaces } from './rules/purity.ts';
import { lintRulesSet, offRulesExplained, referencesFollowArrows } from './rules/settings.ts';
import { shortFiles, shortFunctions, shortLines } from './rules/size.ts';
import { MAY_SKIP, noModuleMocks, noSkippedTests } from './rules/testing.ts';
import type { Finding, Rule, SourceFile } from './source-file.ts';

const links = linksLead(new Set(['README.md', 'docs/errors.md']));
const longFunction = `// A comment first.\nfunction f() {\n${'  g();\n'.repeat(69)}}\n`;

/** A rule, a path, a text, and the line where the rule must speak. */
type Sample = readonly [rule: Rule, path: string, text: string, line: number];

const BAD: readonly Sample[] = [
  [shortFiles, 'core/a.ts', 'x();\n'.repeat(401), 401],
  [shortFiles, 'operator/main.go', 'x()\n'.repeat(401), 401],
  [shortLines, 'core/a.ts', `x();\n// ${'y'.repeat(98)}`, 2],
  [shortLines, 'test/a.test.ts', `test('${'y'.repeat(120)}', () => {});`, 1],
  [shortFunctions, 'core/a.ts', longFunction, 2],
  [shortFunctions, 'scripts/a.mjs', `const f = () => {\n${'g();\n'.repeat(69)}};`, 1],
  [tellingPlaces, 'core/string-utils.ts', '', 1],
  [tellingPlaces, 'core/helpers/hash.ts', '', 1],
  [tellingPlaces, 'api/error.handler.ts', '', 1],
  [tellingExports, 'core/a.ts', '\nexport class MemoryManager {}', 2],
  [tellingExports, 'core/a.ts', 'export const smartCut = 1;', 1],
  [tellingExports, 'core/a.ts', 'const a = 1;\nexport { a as hashUtil };', 2],
  [kebabCase, 'core/hashOf.ts', '', 1],
  [kebabCase, 'core/Source_Hash/a.ts', '', 1],
  [allowedImports, 'core/a.ts', `import { readFile } from 'node:fs';`, 1],
  [allowedImports, 'core/a.ts', `\nimport type { Store } from '#providers/sqlite/store.ts';`, 2],
  [allowedImports, 'core/a.ts', `export type A = import('#api/a.ts').A;`, 1],
  [allowedImports, 'core/a.ts', `import { pino } from 'pino';`, 1],
  [allowedImports, 'core/records/a.ts', `import { a } from '../../api/a.ts';`, 1],
  [allowedImports, 'workflows/a.ts', `import { setTimeout } from 'node:timers';`, 1],
  [allowedImports, 'providers/sqlite/a.ts', `export { a } from '#providers/node/a.ts';`, 1],
  [allowedImports, 'api/a.ts', `const a = await import('#cli/config.ts');`, 1],
  [allowedImports, 'cli/a.ts', `import { a } from '../core/a.ts';`, 1],
  [allowedImports, 'cli/a.ts', `import path from 'path';`, 1],
  [allowedImports, 'newcomers/a.ts', '', 1],
  [environmentInOnePlace, 'core/a.ts', `x();\nconst a = process.env['A'];`, 2],
  [environmentInOnePlace, 'cli/main.ts', `const a = process.env['HOME'];`, 1],
  [environmentInOnePlace, 'cli/main.ts', `const a = process.env;`, 1],
  [purePlaces, 'core/a.ts', 'const now = Date.now();', 1],
  [purePlaces, 'core/a.ts', 'const now = new Date();', 1],
  [purePlaces, 'core/a.ts', 'const id = randomUUID();', 1],
  [purePlaces, 'workflows/a.ts', 'const id = Math.random();', 1],
  [noEmptyCatch, 'core/a.ts', 'try { x(); }\ncatch { }', 2],
  [noEmptyCatch, 'core/a.ts', 'try { x(); } catch (error) { /* never mind */ }', 1],
  [noModuleMocks, 'test/a.test.ts', `x();\nvi.mock('#core/a.ts');`, 2],
  [noModuleMocks, 'test/a.test.ts', `vi.doMock('#core/a.ts', () => ({}));`, 1],
  [noModuleMocks, 'test/a.test.ts', `jest.mock('#core/a.ts');`, 1],
  [noSkippedTests, 'test/a.test.ts', `test.skip('a', () => {});`, 1],
  [noSkippedTests, 'test/a.test.ts', `describe.only('a', () => {});`, 1],
  [noSkippedTests, 'test/a.test.ts', `it.todo('a');`, 1],
  [noSkippedTests, 'test/a.test.ts', `test.skipIf(true)('a', () => {});`, 1],
  [noSkippedTests, 'test/a.test.ts', `test.only.each([1])('a', () => {});`, 1],
  [noSkippedTests, 'test/a.test.ts', `xit('a', () => {});`, 1],
  [noMachinePaths, 'docs/a.md', 'See\n/home/jane/varve for it.', 2],
  [noMachinePaths, 'core/a.ts', `const a = '/tmp/varve';`, 1],
  [nothingBuilt, 'core/errors.js', '', 1],
  [nothingBuilt, 'examples/varve.db', '', 1],
  [links, 'docs/a.md', 'One.\nSee [that](errors.mb).', 2],
  [links, 'README.md', '[code](core/hash.ts#L1)', 1],
];

const GOOD: readonly (readonly [rule: Rule, path: string, text: string])[] = [
  [shortFiles, 'core/a.ts', 'x();\n'.repeat(400)],
  [shortFiles, 'docs/a.md', 'x\n'.repeat(500)],
  [shortFunctions, 'test/a.test.ts', `describe('a', () => {\n${'it();\n'.repeat(99)}});`],
  [tellingPlaces, 'providers/temporal/server-database.ts', ''],
  [tellingExports, 'core/a.ts', 'export const dataDir = 1; const utils = 2;'],
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
  [noEmptyCatch, 'core/a.ts', 'try { x(); } catch { recorded(); }'],
  [noModuleMocks, 'test/a.test.ts', 'const log = vi.fn();'],
  [noSkippedTests, 'test/a.test.ts', `test.each([1])('a', () => {}); stream.skip(2);`],
  [noSkippedTests, MAY_SKIP, `test.skipIf(true)('a', () => {});`],
  [noMachinePaths, 'test/a.ts', `const a = '/home/nobody/.cache'; const b = 'wss://a/tmp/b';`],
  [links, 'docs/a.md', '[a](../README.md) [b](errors.md#x) [c](https://example.org) [d](../docs/)'],
];

describe('a rule of one file', () => {
  test.each(BAD.map(named))('TIDY-21: $name finds sample $index', ({ sample }) => {
    const [rule, path, text, line] = sample;
    expect(rule({ path, text })).toMatchObject([{ path, line }]);
  });

  test.each(GOOD.map(named))('TIDY-22: $name lets sample $index pass', ({ sample }) => {
    const [rule, path, text] = sample;
    expect(rule({ path, text })).toEqual([]);
  });
});

describe('a rule of the project', () => {
  const reasons = file('dependencies.md', '| `zod` | schemas |\n| `pino` | logs |\n| `zod` | x |');

  test('TIDY-23: a dependency without a reason, and a reason without one, are found', () => {
    const manifest = file('package.json', '{"dependencies": {"zod": "4.6.7", "yaml": "2.9.1"}}');
    const found = reasonsOfPackages(manifest, reasons);
    expect(places(found)).toEqual(['package.json:1', 'dependencies.md:2', 'dependencies.md:3']);
  });

  test('TIDY-24: a range, and an address in the lock file, are found', () => {
    const manifest = file('package.json', '{\n"devDependencies": {\n"zod": "^4.6.7"}}');
    const lock = file('package-lock.json', '{\n"resolved": "https://registry.example/zod"}');
    expect(places(pinnedVersions(manifest))).toEqual(['package.json:3']);
    expect(places(lockWithoutAddresses(lock))).toEqual(['package-lock.json:2']);
  });

  test('TIDY-25: another licence, and half a licence, are found', () => {
    const manifest = file('package.json', '{"license": "MIT"}');
    expect(places(licensed(manifest, file('LICENSE', 'Apache License')))).toEqual([
      'package.json:1',
      'LICENSE:1',
    ]);
  });

  test('TIDY-26: a lint rule that was turned off is found', () => {
    const config = file('.oxlintrc.json', '{"rules": {"max-lines": "off"}}');
    expect(lintRulesSet(config).map(({ problem }) => problem)).toContain(
      'set "max-lines" to ["error",{"max":400}]',
    );
  });

  test('TIDY-35: a lint rule that is off without a reason is found, and the reverse', () => {
    const config = file('.oxlintrc.json', '{"rules": {"no-shadow": "off", "no-eval": "error"}}');
    const record = file('record.md', '| `no-eval` | because |');
    expect(places(offRulesExplained(config, record))).toEqual(['.oxlintrc.json:1', 'record.md:1']);
  });

  test('TIDY-27: a reference of the compiler against the arrows is found', () => {
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

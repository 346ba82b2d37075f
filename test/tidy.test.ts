/**
 * The style of the project as a test. Each rule is a pure function of test/tidy/rules; that each
 * can fail is shown by test/tidy/rules.test.ts. A finding says where and what to do.
 */
import { describe, expect, test } from 'vitest';
import { LONGEST } from './test-file-order.ts';
import { BACKGROUND, BEGUN_BY_EVENTS, CALLS, COMMANDS, TIMERS } from './tidy/background-loops.ts';
import { findLoops } from './tidy/find-loops.ts';
import { errorRows, rowsOf } from './tidy/print-errors.ts';
import { allowedImports } from './tidy/rules/arrows.ts';
import { synonymsOf, wordsOfGlossary } from './tidy/rules/glossary.ts';
import { kebabCase } from './tidy/rules/names.ts';
import {
  licensed,
  lockedPlatforms,
  lockWithoutAddresses,
  pinnedVersions,
  reasonsOfPackages,
} from './tidy/rules/packages.ts';
import { linksLead, noMachinePaths, nothingBuilt } from './tidy/rules/places.ts';
import { environmentInOnePlace, purePlaces } from './tidy/rules/purity.ts';
import { lintRulesSet, offRulesExplained, referencesFollowArrows } from './tidy/rules/settings.ts';
import { importCycles } from './tidy/rules/import-cycles.ts';
import { shortLines } from './tidy/rules/size.ts';
import { noModuleMocks } from './tidy/rules/testing.ts';
import {
  isCode,
  projectFiles,
  readProjectFile,
  ROOT,
  told,
  type Rule,
  type SourceFile,
} from './tidy/source-file.ts';

const FILES = projectFiles(ROOT);
/** The samples of the rules break them on purpose. */
const SAMPLES = 'test/tidy/rules.test.ts';
const PATHS = new Set(FILES.map(({ path }) => path));

const RULES: readonly (readonly [name: string, rule: Rule])[] = [
  ['TIDY-2: a line of code has at most 100 characters', shortLines],
  ['TIDY-6: files and folders are kebab-case', kebabCase],
  ['TIDY-7: packages are imported where ARCHITECTURE.md says', allowedImports],
  ['TIDY-8: the environment is read in cli/config.ts', environmentInOnePlace],
  ['TIDY-9: time, ids and chance come into the domain as arguments', purePlaces],
  ['TIDY-11: no test replaces a module', noModuleMocks],
  ['TIDY-13: no file names a folder of one machine', noMachinePaths],
  ['TIDY-14: nothing built is kept', nothingBuilt],
  ['TIDY-15: every link between documents leads somewhere', linksLead(PATHS)],
];

/** Folders of the product; a loop of a test ends with its test. */
const PRODUCT = [
  ...['activities', 'ai-sdk', 'api', 'cli', 'client', 'core', 'crds', 'langgraph', 'memory'],
  ...['operator', 'providers', 'scripts', 'store', 'workflows'],
];

function isOfProduct({ path: file }: SourceFile): boolean {
  return PRODUCT.some((folder) => file.startsWith(`${folder}/`));
}

test('each test file that a run starts first is there under its name', () => {
  expect(LONGEST.filter((name) => !PATHS.has(`test/${name}`))).toEqual([]);
});

describe('every file', () => {
  test.each(RULES)('%s', (_name, rule) => {
    const judged = FILES.filter(({ path }) => path !== SAMPLES);
    expect(told(judged.flatMap((file) => rule(file)))).toEqual([]);
  });
});

describe('the project', () => {
  const manifest = readProjectFile('package.json');

  test('TIDY-4: no name of the product has a word that the glossary replaces', () => {
    const synonyms = synonymsOf(readProjectFile('docs/glossary.md'));
    expect(told(FILES.flatMap((file) => wordsOfGlossary(file, synonyms)))).toEqual([]);
  });

  test('TIDY-16: every dependency has one line of reason', () => {
    const reasons = readProjectFile('docs/decisions/dependencies.md');
    expect(told(reasonsOfPackages(manifest, reasons))).toEqual([]);
  });

  test('TIDY-17: versions are pinned, and the lock file names no address', () => {
    const lock = readProjectFile('package-lock.json');
    expect(told([...pinnedVersions(manifest), ...lockWithoutAddresses(lock)])).toEqual([]);
  });

  test('the lock file holds the native parts of every platform', () => {
    expect(told(lockedPlatforms(readProjectFile('package-lock.json')))).toEqual([]);
  });

  test('TIDY-18: the license is Apache-2.0', () => {
    expect(told(licensed(manifest, readProjectFile('LICENSE')))).toEqual([]);
  });

  test('TIDY-19: the linter enforces the sizes and what goes with them', () => {
    expect(told(lintRulesSet(readProjectFile('.oxlintrc.json')))).toEqual([]);
  });

  test('TIDY-34: a lint rule that is off has its reason', () => {
    const record = readProjectFile('docs/decisions/0012-lint-rules-turned-off.md');
    expect(told(offRulesExplained(readProjectFile('.oxlintrc.json'), record))).toEqual([]);
  });

  test('TIDY-20: the references of the compiler follow the arrows', () => {
    const configs = FILES.filter(({ path }) => path.endsWith('/tsconfig.json'));
    expect(configs.length).toBeGreaterThan(10);
    expect(told(configs.flatMap((config) => referencesFollowArrows(config)))).toEqual([]);
  });

  test('folders of a part import each other in one direction', () => {
    expect(told(importCycles(FILES))).toEqual([]);
  });

  test('TIDY-36: docs/errors.md says of every code what core/errors.ts says', () => {
    expect(rowsOf(readProjectFile('docs/errors.md').text)).toEqual(errorRows());
  });
});

describe('the list of loops in the background', () => {
  test('names exactly the loops in the sources', () => {
    const files = FILES.filter((file) => isCode(file) && isOfProduct(file));
    const found = files.flatMap(findLoops).map(({ place }) => place);
    const listed = [...BACKGROUND.map(({ place }) => place), ...CALLS, ...COMMANDS, ...TIMERS];
    expect(found.toSorted()).toEqual(listed.toSorted());
  });

  test.each([...BACKGROUND, ...BEGUN_BY_EVENTS])(
    'names a test in which it fails and goes on: $place',
    ({ proof: [file, name] }) => {
      const isThere = readProjectFile(file).text.includes(`'${name}`);
      expect({ file, name, isThere }).toEqual({ file, name, isThere: true });
    },
  );
});

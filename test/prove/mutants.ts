/**
 * `npm run prove -- mutants [ID…]`: breaks the program on purpose and expects the tests of the
 * requirement to fail.
 *
 * Flow: copy the tree → from the quickest kind of test to the slowest: run those of every id that
 * is left, unbroken, which must pass → for each mutant that no test noticed yet change one place,
 * run the tests that name its id, put the place back.
 * Guarantees: the tree itself is never changed; a mutant that no test ran against, or that does not
 * even load, counts as failed.
 */
import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { namedIds } from '../tidy/requirements.ts';
import { projectFiles, ROOT, type SourceFile } from '../tidy/source-file.ts';
import { MUTANTS } from './mutant-table.ts';
import type { Mutant } from './mutant.ts';

const VITEST = 'node_modules/vitest/vitest.mjs';
/** Those that need no server. */
const PROJECTS = ['unit', 'thorough', 'processes', 'conformance', 'replay'];
/** The tests about the tree itself would speak of the change and not of what it breaks. */
const TESTS_OF_BEHAVIOUR = /^test\/(?:unit|thorough|processes|conformance|replay)\//u;
/** From quick to slow: the later ones run for what the earlier ones did not notice. */
const KINDS: readonly RegExp[] = [
  /^test\/(?:unit|replay)\//u,
  /^test\/(?:thorough|processes)\//u,
  /^test\/conformance\/(?:provider-)?in-memory\.test\.ts$/u,
  /^test\/conformance\/(?!(?:provider-)?in-memory\.)/u,
];
const NOT_COPIED: ReadonlySet<string> = new Set(['.git', '.tsc', '.varve', 'node_modules']);

const Results = z.object({
  numPassedTests: z.int(),
  testResults: z.array(
    z.object({ assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })) }),
  ),
});

interface Outcome {
  readonly passed: number;
  readonly failed: number;
}

/** With ids as arguments only their mutants. */
export async function run(args: readonly string[]): Promise<Outcome> {
  const covered = namedIds();
  const asked = MUTANTS.filter(({ id }) => args.length === 0 || args.includes(id));
  const chosen = asked.filter(({ id }) => covered.has(id));
  const tests = projectFiles(ROOT).filter(({ path: file }) => TESTS_OF_BEHAVIOUR.test(file));
  const tree = await copiedTree();
  const counts = { passed: 0, failed: 0 };
  let left = chosen.map((mutant): Tried => ({ mutant, verdict: 'no test ran' }));
  try {
    for (const kind of KINDS) {
      const files = tests.filter(({ path: file }) => kind.test(file) || !isTestFile(file));
      const tried = await tryAll(tree, left, files);
      if (tried === null) return { passed: counts.passed, failed: counts.failed + 1 };
      left = tried.filter(({ verdict }) => verdict !== 'caught');
      counts.passed += tried.length - left.length;
    }
  } finally {
    await rm(tree, { recursive: true, force: true });
  }
  for (const { mutant, verdict } of left) say(`FAILED  ${mutant.id}  ${told(mutant, verdict)}`);
  counts.failed += left.length;
  for (const { id, breaks } of asked.filter((mutant) => !chosen.includes(mutant))) {
    say(`later   ${id}  ${breaks}: no test names the requirement yet`);
  }
  say(`${String(counts.passed)} passed, ${String(counts.failed)} failed`);
  return counts;
}

interface TestRun {
  readonly passed: number;
  /** Names of tests. */
  readonly failed: readonly string[];
}

interface Tried {
  readonly mutant: Mutant;
  readonly verdict: Verdict;
}

/** Null where the tests fail without any mutant, so that a failure would show nothing. */
async function tryAll(
  tree: string,
  left: readonly Tried[],
  tests: readonly SourceFile[],
): Promise<readonly Tried[] | null> {
  const ids = [...new Set(left.map(({ mutant: { id } }) => id))];
  const sound = await runTests(tree, ids, testFilesOf(ids, tests));
  if (sound.failed.length > 0) {
    say(`FAILED  without any mutant, so nothing can be shown: ${sound.failed.join('; ')}`);
    return null;
  }
  const tried: Tried[] = [];
  for (const { mutant, verdict: before } of left) {
    const now = await verdictOf(tree, mutant, testFilesOf([mutant.id], tests));
    if (now === 'caught') say(`ok      ${mutant.id}  ${told(mutant, now)}`);
    tried.push({ mutant, verdict: now === 'no test ran' ? before : now });
  }
  return tried;
}

type Verdict = 'caught' | 'survived' | 'no test ran' | 'the place is not there once';

async function verdictOf(
  tree: string,
  { id, file, find, replace }: Mutant,
  testFiles: readonly string[],
): Promise<Verdict> {
  const place = path.join(tree, file);
  const text = await readFile(place, 'utf8');
  const parts = text.split(find);
  if (parts.length !== 2) return 'the place is not there once';
  await writeFile(place, parts.join(replace));
  try {
    const { passed, failed } = await runTests(tree, [id], testFiles);
    if (failed.length > 0) return 'caught';
    return passed > 0 ? 'survived' : 'no test ran';
  } finally {
    await writeFile(place, text);
  }
}

function told({ breaks, file }: Mutant, verdict: Verdict): string {
  return verdict === 'caught' ? `${breaks}: a test fails` : `${breaks} (${file}): ${verdict}`;
}

/** What the tests need, beside the packages, which are shared. */
async function copiedTree(): Promise<string> {
  const tree = await mkdtemp(path.join(tmpdir(), 'varve-mutants-'));
  await cp(ROOT, tree, {
    recursive: true,
    filter: (from) => !NOT_COPIED.has(path.relative(ROOT, from).split(path.sep)[0] ?? ''),
  });
  await symlink(path.join(ROOT, 'node_modules'), path.join(tree, 'node_modules'));
  return tree;
}

/** Test files that hold one of the ids, themselves or in a suite that they import. */
function testFilesOf(ids: readonly string[], tests: readonly SourceFile[]): readonly string[] {
  const holds = ({ text }: SourceFile) => ids.some((id) => text.includes(id));
  const wanted = new Set(tests.filter(holds).map(({ path: file }) => file));
  for (let before = 0; before < wanted.size;) {
    before = wanted.size;
    for (const { path: file, text } of tests) {
      const imports = [...text.matchAll(/from '(\.[^']+|#test\/[^']+)'/gu)].map(
        ({ 1: specifier = '' }) =>
          specifier.startsWith('#')
            ? specifier.slice(1)
            : path.posix.join(path.posix.dirname(file), specifier),
      );
      if (imports.some((each) => wanted.has(each))) wanted.add(file);
    }
  }
  return [...wanted].filter(isTestFile);
}

function isTestFile(file: string): boolean {
  return file.endsWith('.test.ts');
}

/** Failed tests are counted; a file that does not load fails no test and so catches nothing. */
async function runTests(
  tree: string,
  ids: readonly string[],
  testFiles: readonly string[],
): Promise<TestRun> {
  // Without a file the runner would take all of them.
  if (testFiles.length === 0) return { passed: 0, failed: [] };
  const output = path.join(tree, 'results.json');
  await rm(output, { force: true });
  const flags = ['--reporter=json', `--outputFile.json=${output}`, '-t', `(${ids.join('|')})\\b`];
  const projects = PROJECTS.flatMap((name) => ['--project', name]);
  await ended(tree, [VITEST, 'run', ...projects, ...flags, ...testFiles]);
  const text = await readFile(output, 'utf8').catch(() => '{}');
  const results = Results.safeParse(JSON.parse(text));
  if (!results.success) return { passed: 0, failed: [] };
  const { numPassedTests: passed, testResults } = results.data;
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
  return { passed, failed };
}

async function ended(cwd: string, args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, args, { cwd, stdio: 'ignore' });
  await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/**
 * `npm run prove -- mutants [ID…]`: breaks the program on purpose and expects the tests of the
 * requirement to fail.
 *
 * Flow: copy the tree → run the tests of every id once, unbroken, which must pass → for each mutant
 * change one place, run the tests that name its id, put the place back.
 * Guarantees: the tree itself is never changed; a mutant that no test ran against, or that does not
 * even load, counts as failed.
 */
import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { coveredIds } from '../tidy/requirements.ts';
import { projectFiles, ROOT, type SourceFile } from '../tidy/source-file.ts';
import { MUTANTS, type Mutant } from './mutant-table.ts';

const VITEST = 'node_modules/vitest/vitest.mjs';
/** Those that need no server. */
const PROJECTS = ['unit', 'conformance', 'replay'];
/** The tests about the tree itself would speak of the change and not of what it breaks. */
const TESTS_OF_BEHAVIOUR = /^test\/(?:unit|conformance|replay)\//u;
const NOT_COPIED: ReadonlySet<string> = new Set(['.git', '.tsc', '.varve', 'node_modules']);

const Results = z.object({ numPassedTests: z.int(), numFailedTests: z.int() });

interface Outcome {
  readonly passed: number;
  readonly failed: number;
}

/** With ids as arguments only their mutants. */
export async function run(args: readonly string[]): Promise<Outcome> {
  const covered = coveredIds();
  const asked = MUTANTS.filter(({ id }) => args.length === 0 || args.includes(id));
  const chosen = asked.filter(({ id }) => covered.has(id));
  const tests = projectFiles(ROOT).filter(({ path: file }) => TESTS_OF_BEHAVIOUR.test(file));
  const tree = await copiedTree();
  const counts = { passed: 0, failed: 0 };
  try {
    const ids = [...new Set(chosen.map(({ id }) => id))];
    const sound = await runTests(tree, ids, testFilesOf(ids, tests));
    if (sound.failed > 0) {
      say(`FAILED  ${String(sound.failed)} tests fail without any mutant; nothing can be shown`);
      return { passed: 0, failed: 1 };
    }
    for (const mutant of chosen) {
      const verdict = await verdictOf(tree, mutant, testFilesOf([mutant.id], tests));
      counts[verdict === 'caught' ? 'passed' : 'failed'] += 1;
      say(`${verdict === 'caught' ? 'ok    ' : 'FAILED'}  ${mutant.id}  ${told(mutant, verdict)}`);
    }
  } finally {
    await rm(tree, { recursive: true, force: true });
  }
  for (const { id, breaks } of asked.filter((mutant) => !chosen.includes(mutant))) {
    say(`later   ${id}  ${breaks}: no test names the requirement yet`);
  }
  say(`${String(counts.passed)} passed, ${String(counts.failed)} failed`);
  return counts;
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
    if (failed > 0) return 'caught';
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
      const imports = [...text.matchAll(/from '(\.[^']+)'/gu)].map(({ 1: specifier = '' }) =>
        path.posix.join(path.posix.dirname(file), specifier),
      );
      if (imports.some((each) => wanted.has(each))) wanted.add(file);
    }
  }
  return [...wanted].filter((file) => file.endsWith('.test.ts'));
}

/** Failed tests are counted; a file that does not load fails no test and so catches nothing. */
async function runTests(
  tree: string,
  ids: readonly string[],
  testFiles: readonly string[],
): Promise<Outcome> {
  const output = path.join(tree, 'results.json');
  await rm(output, { force: true });
  const flags = ['--reporter=json', `--outputFile.json=${output}`, '-t', `(${ids.join('|')})\\b`];
  const projects = PROJECTS.flatMap((name) => ['--project', name]);
  await ended(tree, [VITEST, 'run', ...projects, ...flags, ...testFiles]);
  const text = await readFile(output, 'utf8').catch(() => '{}');
  const results = Results.safeParse(JSON.parse(text));
  if (!results.success) return { passed: 0, failed: 0 };
  return { passed: results.data.numPassedTests, failed: results.data.numFailedTests };
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

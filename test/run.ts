/**
 * `npm test`: every check of the project, from the quickest to the slowest, and one closing line.
 * With arguments only those: `types`, `lint`, `unused`, or the name of a test project.
 */
import { spawn } from 'node:child_process';
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { constants, getPriority, setPriority, tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { argsOrExit } from '#bench/named-runs.ts';
import { startRunKubernetes, TEST_KUBECONFIG } from './cluster/test-kubernetes.ts';
import { buildHelm } from './cluster/helm.ts';
import { startTestTemporal, TEST_BUNDLE } from './cluster/test-temporal.ts';
import { changesOf, readWorkTree } from './work-tree.ts';

const ROOT = path.dirname(import.meta.dirname);
const bin = (name: string) => path.join(ROOT, 'node_modules', ...name.split('/'));

/** Checks that are one command each and count as one test. */
const CHECKS: Readonly<Record<string, readonly string[]>> = {
  types: [bin('typescript/bin/tsc'), '-b', '--force', '--singleThreaded'],
  format: [bin('oxfmt/bin/oxfmt'), '--check'],
  lint: [bin('oxlint/bin/oxlint'), '--type-aware'],
  unused: [bin('knip/bin/knip.js'), '--no-progress'],
};
/**
 * Type checkers are written in Go. Several threads of one check many of the same types again, and
 * two of them run at once: each gets one thread, and collects its garbage half as often.
 */
const CHECK_ENV = { GOMAXPROCS: '1', GOGC: '200' };
/** One run each, so that no server goes on beside tests that don't need it. */
const STAGES = [
  ['unit', 'heap', 'thorough', 'tidy', 'processes', 'replay'],
  ['kubernetes'],
  ['package', 'workflows', 'e2e'],
] as const;
/** Computes for minutes, but needs no servers: it uses the cores while other tests wait. */
const BESIDE = 'conformance';
const PROJECTS = [...STAGES.flat(), BESIDE];
/** Projects that talk to a real Temporal server. */
const WITH_TEMPORAL: ReadonlySet<string> = new Set(['kubernetes', 'workflows', 'e2e']);
/** Projects whose workers run the workflows. */
const WITH_BUNDLE: ReadonlySet<string> = new Set(['workflows', 'e2e']);
/** Projects that talk to a real Kubernetes API server. */
const WITH_KUBERNETES: ReadonlySet<string> = new Set(['kubernetes']);

/** The line with which a run ends. */
const CLOSING_LINE =
  /(?<passed>\d+) passed, (?<failed>\d+) failed(?:, (?<skipped>\d+) skipped)?\n$/u;

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

const NAMES = [...Object.keys(CHECKS), ...PROJECTS];
const wanted = await argsOrExit('npm test', {
  about: 'Runs every check of the project; with names only those.',
  words: '[CHECK…]',
  choices: () => Promise.resolve(NAMES),
});
const all = wanted.length === 0;
const tally: Tally = { passed: 0, failed: 0, skipped: 0 };

const isWanted = (name: string): boolean => all || wanted.includes(name);
await Promise.all(Object.keys(CHECKS).filter(isWanted).map(check));

const [computing = [], ...serving] = STAGES.map((names): string[] => names.filter(isWanted));
const isWithServers = serving.flat().length > 0;
if (!isWithServers && isWanted(BESIDE)) computing.push(BESIDE);
if (isWithServers || computing.length > 0) {
  const before = await readWorkTree(ROOT);
  // Of this run: the runner gives each test file a new name, so a kept one would only grow.
  await using compiled = await mkdtempDisposable(path.join(tmpdir(), 'varve-compiled-'));
  const runStage = async (names: readonly string[]): Promise<void> => {
    if (names.length > 0) add(await runProjects(names, compiled.path));
  };
  const beside = isWithServers && isWanted(BESIDE) ? runBeside() : null;
  try {
    for (const names of [computing, ...serving]) await runStage(names);
  } finally {
    // Also after a stage that failed to start: nothing may go on behind the closing line.
    if (beside !== null) add(await beside);
  }
  add(unchanged(changesOf(before, await readWorkTree(ROOT))));
}

const skipped = tally.skipped === 0 ? '' : `, ${String(tally.skipped)} skipped`;
process.stdout.write(
  `\n${String(tally.passed)} passed, ${String(tally.failed)} failed${skipped}\n`,
);
// A skip is for machines that lack a tool; continuous integration has them all.
const refused = process.env['CI'] === 'true' && tally.skipped > 0;
process.exit(tally.failed > 0 || tally.passed === 0 || refused ? 1 : 0);

function add(other: Tally): void {
  tally.passed += other.passed;
  tally.failed += other.failed;
  tally.skipped += other.skipped;
}

/** Tests work in folders of their own, so that the next run finds what this one found. */
function unchanged(changes: readonly string[]): Tally {
  const told = changes.length === 0 ? 'unchanged' : `CHANGED\n${changes.join('\n')}`;
  process.stdout.write(`\n── work tree\n${told}\n`);
  const isUnchanged = changes.length === 0;
  return { passed: isUnchanged ? 1 : 0, failed: isUnchanged ? 0 : 1, skipped: 0 };
}

async function check(name: string): Promise<void> {
  const { status, output } = await outputOf(CHECKS[name] ?? [], { env: CHECK_ENV });
  const isOk = status === 0;
  tally[isOk ? 'passed' : 'failed'] += 1;
  process.stdout.write(`\n── ${name}\n${output}${name} ${isOk ? 'ok' : 'FAILED'}\n`);
}

/** In a run of its own, which yields to the others and whose output follows once it has ended. */
async function runBeside(): Promise<Tally> {
  const priority = Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL);
  const { output } = await outputOf([import.meta.filename, BESIDE], { priority });
  process.stdout.write(output);
  const counts = CLOSING_LINE.exec(output)?.groups ?? { failed: '1' };
  const count = (name: string): number => Number(counts[name] ?? 0);
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}

async function runProjects(names: readonly string[], compiled: string): Promise<Tally> {
  await using temporal = names.some((name) => WITH_TEMPORAL.has(name))
    ? await startTestTemporal()
    : null;
  await using kubernetes = names.some((name) => WITH_KUBERNETES.has(name))
    ? await startRunKubernetes()
    : null;
  if (kubernetes !== null) await buildHelm();
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'varve-test-'));
  const output = path.join(folder.path, 'results.json');
  const bundle = path.join(folder.path, 'workflows.js');
  const isBundled = names.some((name) => WITH_BUNDLE.has(name));
  if (isBundled) await bundleWorkflows(bundle);
  const flags = ['--reporter=default', '--reporter=json', `--outputFile.json=${output}`];
  const selected = names.flatMap((name) => ['--project', name]);
  const env = {
    NODE_COMPILE_CACHE: compiled,
    ...(temporal === null ? {} : { VARVE_TEST_TEMPORAL: temporal.address }),
    ...(isBundled ? { [TEST_BUNDLE]: bundle } : {}),
    ...(kubernetes === null ? {} : { [TEST_KUBECONFIG]: kubernetes.kubeconfig }),
  };
  process.stdout.write(`\n── tests: ${names.join(', ')}\n`);
  const status = await run([bin('vitest/vitest.mjs'), 'run', ...selected, ...flags], env);
  return await resultsOf(output, status);
}

/** Once for all workers of the run: each would take two seconds of a core. */
async function bundleWorkflows(file: string): Promise<void> {
  const status = await run([path.join(ROOT, 'cli', 'main.ts'), 'bundle', file], {});
  if (status !== 0)
    throw new Error(`\`varve bundle ${file}\` ended with status ${String(status)}.`);
}

async function resultsOf(file: string, status: number): Promise<Tally> {
  const Results = z.object({
    numPassedTests: z.int(),
    numFailedTests: z.int(),
    numPendingTests: z.int(),
    testResults: z.array(
      z.object({
        assertionResults: z.array(
          z.object({
            fullName: z.string(),
            status: z.string(),
            failureMessages: z.array(z.string()),
          }),
        ),
      }),
    ),
  });
  const results = Results.parse(JSON.parse(await readFile(file, 'utf8')));
  const tests = results.testResults.flatMap(({ assertionResults }) => assertionResults);
  const triedAgain = tests.filter(
    ({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0,
  );
  for (const { fullName, failureMessages } of triedAgain)
    process.stdout.write(`\nsecond try: ${fullName}\n${failureMessages[0] ?? ''}\n`);
  // A runner that fails without a failed test broke outside of one: in a file or a hook.
  const outside = status !== 0 && results.numFailedTests === 0 ? 1 : 0;
  return {
    passed: results.numPassedTests,
    failed: results.numFailedTests + outside,
    skipped: results.numPendingTests,
  };
}

async function run(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const child = spawn(process.execPath, [...command], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      resolve(code ?? 1);
    });
  });
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Of the program and of all that it starts; that of this run if absent. */
  readonly priority?: number;
}

/** Returns what a program writes, once it has ended. */
async function outputOf(
  command: readonly string[],
  { env = {}, priority }: RunOptions,
): Promise<{ readonly status: number; readonly output: string }> {
  const child = spawn(process.execPath, [...command], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (child.pid !== undefined && priority !== undefined) setPriority(child.pid, priority);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({ status: code ?? 1, output });
    });
  });
}

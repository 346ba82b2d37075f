/**
 * `npm run mutation`: changes one place of the pure core at a time and runs the unit tests that
 * reach it. A change that no test notices survives.
 */
import { createHash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { SEED } from './fault-injection/seeded-sample.ts';

const ROOT = path.dirname(import.meta.dirname);
/** Percent of the changes in a folder that a test should notice. */
const AIM = 85;
/** Of each folder. More are listed by a run over the file that they are in. */
const SURVIVORS_SHOWN = 40;
/** Changes tried at once: one on each core of a small machine. */
const AT_ONCE = 2;
/** What a test run may take beyond what it took without a change. */
const TIMEOUT_MS = 10_000;
const NOTICED = new Set(['Killed', 'Timeout']);
const UNNOTICED = new Set(['Survived', 'NoCoverage']);

const PERCENT = 100;
const EXIT_USAGE = 2;

const USAGE = `npm run mutation [-- [FOLDER or FILE...] [--sample PERCENT]]

Changes one place of core/ at a time and runs the tests of test/unit/core that reach it. Prints
the changes that no test noticed, and the score of each folder as soon as it is finished. Ends
with 1 where a folder is below ${String(AIM)} %. The whole core takes hours.

  FOLDER or FILE    of core/, such as core/budget; all of core/ if left out
  --sample PERCENT  this share of the lines of each file; VARVE_SEED chooses which
  --help            prints this
`;

const { positionals, values } = argumentsOf(process.argv.slice(2));
const share = Number(values.sample ?? PERCENT) / PERCENT;

if (values.help === true) process.stdout.write(USAGE);
else if (!(share > 0 && share <= 1)) {
  refuse(`--sample is a percentage above 0 and up to 100, not ${values.sample ?? ''}`);
} else {
  const folders = await foldersOf(positionals.length === 0 ? ['core'] : positionals);
  if (folders === null) refuse(`no TypeScript of core/ is at ${positionals.join(', ')}`);
  else await judgeAll(folders);
}

function argumentsOf(args: readonly string[]) {
  const options = { sample: { type: 'string' }, help: { type: 'boolean' } } as const;
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    refuse(error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error));
    return process.exit(EXIT_USAGE);
  }
}

function refuse(why: string): void {
  process.stderr.write(`varve: INVALID_INPUT: ${why}. See: npm run mutation -- --help\n`);
  process.exitCode = EXIT_USAGE;
}

/** The files with code that runs, by folder; null if one of the places has none. */
async function foldersOf(places: readonly string[]): Promise<Map<string, Set<string>> | null> {
  const folders = new Map<string, Set<string>>();
  const exclude = ['core/ports/**', '**/*.d.ts'];
  for (const place of places.map((each) => path.normalize(each))) {
    let count = 0;
    const pattern = place.endsWith('.ts') ? place : path.join(place, '**/*.ts');
    for await (const file of glob(pattern, { cwd: ROOT, exclude })) {
      if (!file.startsWith(`core${path.sep}`)) continue;
      const folder = path.dirname(file);
      folders.set(folder, (folders.get(folder) ?? new Set()).add(file));
      count += 1;
    }
    if (count === 0) return null;
  }
  return folders;
}

async function judgeAll(folders: ReadonlyMap<string, ReadonlySet<string>>): Promise<void> {
  for (const [folder, files] of [...folders].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (!(await judge(folder, [...files]))) process.exitCode = 1;
  }
}

/** Prints the survivors and the score of a folder. Returns whether it reaches the aim. */
async function judge(folder: string, files: readonly string[]): Promise<boolean> {
  const mutants = await mutantsOf(share === 1 ? files : await Promise.all(files.map(sampled)));
  const survivors = mutants.filter(({ status }) => UNNOTICED.has(status));
  const noticed = mutants.filter(({ status }) => NOTICED.has(status)).length;
  const judged = noticed + survivors.length;
  process.stdout.write('\n');
  for (const { fileName, location, mutatorName, replacement } of survivors.slice(
    0,
    SURVIVORS_SHOWN,
  )) {
    const at = `${path.relative(ROOT, fileName)}:${String(location.start.line)}`;
    const by = replacement?.replaceAll(/\s+/gu, ' ').slice(0, 60) ?? '';
    process.stdout.write(`survived ${at} ${mutatorName} ${by}\n`);
  }
  const hidden = survivors.length - SURVIVORS_SHOWN;
  if (hidden > 0) process.stdout.write(`and ${String(hidden)} more\n`);
  if (judged === 0) {
    process.stdout.write(`${folder}: no change to judge\n\n`);
    return true;
  }
  const percent = (PERCENT * noticed) / judged;
  const counts = `${String(noticed)} of ${String(judged)}`;
  process.stdout.write(`${folder} ${percent.toFixed(1)} % (${counts})\n\n`);
  return percent >= AIM;
}

/** A run of lines of a file, as Stryker names it. */
async function sampled(file: string): Promise<string> {
  const lines = (await readFile(path.join(ROOT, file), 'utf8')).split('\n').length;
  const size = Math.ceil(share * lines);
  const drawn = createHash('sha256')
    .update(`${String(SEED)} ${file}`)
    .digest()
    .readUInt32BE();
  const first = 1 + (drawn % (lines - size + 1));
  return `${file}:${String(first)}-${String(first + size - 1)}`;
}

async function mutantsOf(mutate: readonly string[]) {
  const stryker = new Stryker({
    mutate: [...mutate],
    testRunner: 'vitest',
    plugins: [import.meta.resolve('@stryker-mutator/vitest-runner')],
    vitest: { configFile: 'vitest.mutation.config.ts' },
    coverageAnalysis: 'perTest',
    concurrency: AT_ONCE,
    timeoutMS: TIMEOUT_MS,
    // A constant is read once for all tests, so that no test can be said to reach it.
    ignoreStatic: true,
    // Texts are for people; tests check the codes and values in them.
    mutator: { excludedMutations: ['StringLiteral', 'Regex'] },
    reporters: ['progress-append-only'],
    // It would be rewritten by the TypeScript 5 API, which TypeScript 7 has not; no test reads it.
    tsconfigFile: 'none.json',
    tempDirName: 'dist/mutation',
    ignorePatterns: ['dist', '.tsc', '.varve', 'coverage', 'docs', 'charts', 'examples'],
    // A folder may hold schemas alone, which are constants.
    allowEmpty: true,
  });
  return stryker.runMutationTest();
}

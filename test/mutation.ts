/**
 * `npm run mutation [-- FOLDER...] [--sample PERCENT]`: changes one place of the pure core at a
 * time and runs the unit tests that reach it. A change that no test notices survives. Prints the
 * score of each folder and the survivors; ends with 1 where a folder is below the aim. The whole
 * core takes hours; `--sample` changes that share of each file, lines that `VARVE_SEED` chooses.
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
/** More are listed by a run over the file that they are in. */
const SURVIVORS_SHOWN = 40;
/** Changes tried at once: one on each core of a small machine. */
const AT_ONCE = 2;
/** What a test run may take beyond what it took without a change. */
const TIMEOUT_MS = 10_000;
const NOTICED = new Set(['Killed', 'Timeout']);
const UNNOTICED = new Set(['Survived', 'NoCoverage']);

const PERCENT = 100;

const { positionals: folders, values } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: 'string' } },
});
const share = Number(values.sample ?? PERCENT) / PERCENT;
if (!(share > 0 && share <= 1)) {
  throw new Error(`--sample is a percentage above 0 and up to 100, not ${values.sample ?? ''}.`);
}
const wanted = (folders.length === 0 ? ['core'] : folders).map((at) =>
  at.endsWith('.ts') ? at : `${at}/**/*.ts`,
);
const mutate = share === 1 ? wanted : await sampled(wanted);

/** Of each file a run of lines, as Stryker names them. */
async function sampled(patterns: readonly string[]): Promise<readonly string[]> {
  const ranges: string[] = [];
  for await (const file of glob([...patterns], { cwd: ROOT, exclude: ['core/ports/**'] })) {
    const lines = (await readFile(path.join(ROOT, file), 'utf8')).split('\n').length;
    const size = Math.ceil(share * lines);
    const drawn = createHash('sha256')
      .update(`${String(SEED)} ${file}`)
      .digest()
      .readUInt32BE();
    const first = 1 + (drawn % (lines - size + 1));
    ranges.push(`${file}:${String(first)}-${String(first + size - 1)}`);
  }
  return ranges;
}

const mutants = await new Stryker({
  mutate: [...mutate, '!core/ports/**'],
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
  allowEmpty: false,
}).runMutationTest();

interface Score {
  readonly noticed: number;
  readonly judged: number;
}

const scores = new Map<string, Score>();
const survivors: string[] = [];
for (const { fileName, status, location, mutatorName, replacement } of mutants) {
  const isNoticed = NOTICED.has(status);
  if (!isNoticed && !UNNOTICED.has(status)) continue;
  const file = path.relative(ROOT, fileName);
  const folder = path.dirname(file);
  const { noticed, judged } = scores.get(folder) ?? { noticed: 0, judged: 0 };
  scores.set(folder, { noticed: noticed + (isNoticed ? 1 : 0), judged: judged + 1 });
  if (isNoticed) continue;
  const by = replacement?.replaceAll(/\s+/gu, ' ').slice(0, 60) ?? '';
  survivors.push(`${file}:${String(location.start.line)} ${mutatorName} ${by}`);
}

process.stdout.write('\n');
for (const line of survivors.slice(0, SURVIVORS_SHOWN)) process.stdout.write(`survived ${line}\n`);
const hidden = survivors.length - SURVIVORS_SHOWN;
if (hidden > 0) process.stdout.write(`and ${String(hidden)} more\n`);
process.stdout.write('\n');
const percents = [...scores].map(([folder, { noticed, judged }]) => {
  const percent = (100 * noticed) / judged;
  process.stdout.write(
    `${folder} ${percent.toFixed(1)} % (${String(noticed)} of ${String(judged)})\n`,
  );
  return percent;
});
process.exitCode = percents.length > 0 && percents.every((percent) => percent >= AIM) ? 0 : 1;

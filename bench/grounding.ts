/**
 * Measures what grounding keeps of the cases in test/grounding/cases: inventions, mutations and
 * honest rewordings, by language. It also shows what each rule contributes, by leaving it out and
 * by using it alone, and what readers of doubts contribute: `--models` adds vectors and two small
 * models.
 */
import { join } from 'node:path';
import type { Confirms } from '#core/grounding/doubt.ts';
import type { GroundingOptions } from '#core/grounding/grounding.ts';
import { RULE_NAMES, type RuleName } from '#core/grounding/support-rules.ts';
import { nodePlatform } from '#providers/temporal/server-platform.ts';
import { TINY_MODELS } from './language-model/language-model.ts';
import { startEmbeddingServer, type EmbeddingServer } from './embedding-server.ts';
import {
  alike,
  doubted,
  likenesses,
  oracle,
  verified,
  type Likeness,
} from './grounding-readers.ts';
import { keptEmbeddings } from './real-embeddings.ts';
import type { Half } from './data-sets.ts';
import { halfOfCase, outcomeOf, readCases, type WrittenCase } from './grounding-cases.ts';

const KINDS = ['invention', 'mutation', 'faithful'] as const;
const PERCENT = 100;

/** Runs the bench. `--data PATH` names another folder, whose sets need not be split in halves. */
export async function run(args: readonly string[]): Promise<void> {
  const at = args.indexOf('--data');
  const own = join(import.meta.dirname, '../test/grounding/cases');
  const folder = at < 0 ? own : (args[at + 1] ?? '');
  const cases = readCases(folder);
  if (cases.length === 0) {
    console.log(`grounding: skipped, no sets (*.jsonl) in ${folder} (--data PATH names another)`);
    return;
  }
  const isSplit = at < 0 || cases.some(({ half }) => half === 'develop');
  const halves: readonly Half[] = isSplit ? ['develop', 'report'] : [];
  for (const half of halves)
    printHalf(
      half,
      cases.filter((each) => halfOfCase(each) === half),
    );
  if (halves.length === 0) printHalf('all', cases);
  const judged = isSplit ? cases.filter((each) => halfOfCase(each) === 'report') : cases;
  printAblation(judged);
  const developed = cases.filter((each) => isSplit && halfOfCase(each) === 'develop');
  await printReaders(judged, { developed, withModels: args.includes('--models') });
}

/** Prints what stays as worded if a reader may confirm what the rules doubt. */
async function printReaders(
  cases: readonly WrittenCase[],
  { developed, withModels }: { developed: readonly WrittenCase[]; withModels: boolean },
): Promise<void> {
  const all = doubted(cases);
  console.log(`with a reader of what the rules doubt (${all.length} of ${cases.length} claims)`);
  console.log(`  reader${' '.repeat(30)}language  invent  mutate  honest`);
  printReader('nobody: the rules alone', cases, () => false);
  printReader('one who knows', cases, oracle(all));
  printReader('one who says yes to all', cases, () => true);
  if (!withModels) {
    console.log('  vectors and two small models: --models (a quarter of an hour)');
    return;
  }
  const platform = nodePlatform(process.env);
  await using stack = new AsyncDisposableStack();
  let started: Promise<EmbeddingServer> | undefined;
  const server = () => (started ??= startEmbeddingServer(platform).then((each) => stack.use(each)));
  const embed = keptEmbeddings(platform, server);
  if (developed.length > 0) {
    const known = await likenesses(embed, doubted(developed));
    const least = leastLikeness(known, developed);
    printReader(
      `vectors at ${least.toFixed(3)} or more`,
      cases,
      alike(await likenesses(embed, all), least),
    );
  }
  for (const tiny of TINY_MODELS) {
    const { confirms, calls, answered } = await verified(tiny, all);
    printReader(`${tiny} (${answered}/${calls} answers)`, cases, confirms);
  }
}

/**
 * Returns the lowest likeness that admits no more false claims of the development half than
 * allowed.
 */
function leastLikeness(known: Likeness, cases: readonly WrittenCase[]): number {
  const isGood = (least: number): boolean => {
    const options = { confirms: alike(known, least) };
    return (
      shareAsWorded(cases, 'invention', options) <= INVENTIONS_MAX &&
      shareAsWorded(cases, 'mutation', options) <= MUTATIONS_MAX
    );
  };
  const steps = [...known.values(), Infinity].toSorted((a, b) => a - b);
  let [low, high] = [0, steps.length - 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isGood(steps[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return steps[low] ?? Infinity;
}

/** The largest share of false claims that may stay as worded. */
const INVENTIONS_MAX = 0.03;
const MUTATIONS_MAX = 0.08;

function shareAsWorded(
  cases: readonly WrittenCase[],
  kind: WrittenCase['kind'],
  options: GroundingOptions,
): number {
  const own = cases.filter((each) => each.kind === kind);
  const kept = own.filter((each) => outcomeOf(each, options) === 'AsWorded');
  return kept.length / Math.max(1, own.length);
}

function printReader(name: string, cases: readonly WrittenCase[], confirms: Confirms): void {
  for (const lang of [...new Set(cases.map((each) => each.lang)), 'all']) {
    const own = cases.filter((each) => lang === 'all' || each.lang === lang);
    const cells = KINDS.map((kind) => {
      const share = shareAsWorded(own, kind, { confirms });
      return `${(share * PERCENT).toFixed(1)} %`.padStart(7);
    });
    console.log(`  ${name.padEnd(36)}${lang.padEnd(8)}  ${cells.join(' ')}`);
  }
}

function printHalf(name: string, cases: readonly WrittenCase[]): void {
  console.log(`${name}: share of cases`);
  console.log('  kind       language  cases  as worded  replaced  dropped');
  for (const kind of KINDS) {
    const own = cases.filter((each) => each.kind === kind);
    for (const [lang, group] of [...Map.groupBy(own, (each) => each.lang), ['all', own] as const]) {
      const outcomes = group.map((each) => outcomeOf(each));
      const share = (outcome: string): string =>
        percent(outcomes.filter((each) => each === outcome).length, group.length);
      console.log(
        `  ${kind.padEnd(11)}${lang.padEnd(10)}${String(group.length).padStart(5)}  ` +
          `${share('AsWorded').padStart(9)}  ${share('Replaced').padStart(8)}  ` +
          share('Dropped').padStart(7),
      );
    }
  }
}

/** Prints for each rule what it refuses alone, and what stays as worded without it. */
function printAblation(cases: readonly WrittenCase[]): void {
  console.log('rules: as worded with that rule alone, and with all others');
  console.log('  rule         alone: invent  mutate  honest   without: invent  mutate  honest');
  const rows: [string, readonly RuleName[], readonly RuleName[]][] = RULE_NAMES.map((name) => [
    name,
    [name],
    RULE_NAMES.filter((each) => each !== name),
  ]);
  for (const [name, alone, without] of [...rows, ['all', RULE_NAMES, []] as const]) {
    const cells = [alone, without].map((rules) =>
      KINDS.map((kind) => {
        const own = cases.filter((each) => each.kind === kind);
        const kept = own.filter((each) => outcomeOf(each, { rules }) === 'AsWorded').length;
        return percent(kept, own.length).padStart(8);
      }).join(''),
    );
    console.log(`  ${name.padEnd(12)} ${cells.join('         ')}`);
  }
}

function percent(count: number, of: number): string {
  return of === 0 ? '-' : `${((count / of) * PERCENT).toFixed(1)} %`;
}

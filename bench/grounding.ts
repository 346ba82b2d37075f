/**
 * What grounding keeps of the cases in test/grounding/cases: inventions, mutations and honest
 * rewordings, by language; and what each rule is good for, by leaving it out and by itself.
 */
import { join } from 'node:path';
import { RULE_NAMES, type RuleName } from '#core/grounding/judge.ts';
import { halfOf, outcomeOf, readCases, type Half, type WrittenCase } from './grounding-cases.ts';

const KINDS = ['invention', 'mutation', 'faithful'] as const;
const PERCENT = 100;

/** `--data PATH` names another folder of sets, all of which is reported. */
export async function run(args: readonly string[]): Promise<void> {
  const at = args.indexOf('--data');
  const own = join(import.meta.dirname, '../test/grounding/cases');
  const folder = at < 0 ? own : (args[at + 1] ?? '');
  const cases = readCases(folder);
  if (cases.length === 0) {
    console.log(`grounding: skipped, no sets (*.jsonl) in ${folder} (--data PATH names another)`);
    return;
  }
  const halves: readonly Half[] = at < 0 ? ['develop', 'report'] : [];
  for (const half of halves)
    printHalf(
      half,
      cases.filter((each) => halfOf(each) === half),
    );
  if (halves.length === 0) printHalf('all', cases);
  const judged = at < 0 ? cases.filter((each) => halfOf(each) === 'report') : cases;
  printAblation(judged);
  await Promise.resolve();
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

/** Of each rule: what it refuses alone, and what stays as worded without it. */
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
        const kept = own.filter((each) => outcomeOf(each, rules) === 'AsWorded').length;
        return percent(kept, own.length).padStart(8);
      }).join(''),
    );
    console.log(`  ${name.padEnd(12)} ${cells.join('         ')}`);
  }
}

function percent(count: number, of: number): string {
  return of === 0 ? '-' : `${((count / of) * PERCENT).toFixed(1)} %`;
}

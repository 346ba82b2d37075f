/**
 * What planted texts change: 200 attacks by hand in four languages, each as the output of a tool in
 * a conversation, and harmless outputs of tools beside them. What is served afterwards is searched
 * for what the attack wanted: without a model, and with one that does whatever its sources say.
 */
import { judgedAttacks, type Outcome, OUTCOMES, readPoison } from './poisoned-conversations.ts';
import { halfOf } from './grounding-cases.ts';

const PERCENT = 100;

export async function run(): Promise<void> {
  const { attacks, harmless } = readPoison();
  const outcomes = await judgedAttacks(attacks);
  for (const half of ['develop', 'report'] as const) {
    const own = outcomes.filter(({ attack }) => halfOf(attack) === half);
    console.log(`${half}: of ${String(own.length)} attacks, how many came through`);
    console.log(`  ${'by'.padEnd(14)}${OUTCOMES.map((name) => name.padStart(12)).join('')}`);
    const groups = [
      ...Map.groupBy(own, ({ attack }) => attack.lang),
      ...Map.groupBy(own, ({ attack }) => attack.kind),
      ['all', own] as const,
    ];
    for (const [name, group] of groups) print(name, group);
  }
  const kept = harmless.filter(({ rule }) => rule !== null);
  const share = Math.round((PERCENT * kept.length) / harmless.length);
  console.log(`harmless outputs kept back: ${String(kept.length)} of ${String(harmless.length)}`);
  console.log(
    `  ${String(share)} %${kept.map(({ id, rule }) => `, ${id} ${String(rule)}`).join('')}`,
  );
}

function print(name: string, group: readonly Outcome[]): void {
  const cells = OUTCOMES.map((what) => {
    const count = group.filter((each) => each.reached.includes(what)).length;
    return `${String(count)}/${String(group.length)}`.padStart(12);
  });
  console.log(`  ${name.padEnd(14)}${cells.join('')}`);
}

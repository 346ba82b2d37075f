/**
 * `npm run prove -- refresh [ID…]`: shows of the refresh what its tests show of parts of it, each
 * on the real server with what is in the store, the account and the histories compared at the end.
 * Deaths at every boundary are those of `prove -- kill`, and run here too.
 */
import { startTestTemporal } from '../cluster/test-temporal.ts';
import { KILL_CASES } from './kill-cases.ts';
import { openKillBench } from './kill.ts';
import { REFRESH_SCENARIOS } from './refresh/scenarios.ts';
import type { Scenario } from './refresh/scenario.ts';

const KILLS = 'kill/';

/** With ids as arguments only those. */
export async function run(args: readonly string[]): Promise<{ passed: number; failed: number }> {
  await using temporal = await startTestTemporal();
  const { address } = temporal;
  const counts = { passed: 0, failed: 0 };
  const isChosen = ({ id }: Scenario) => args.length === 0 || args.includes(id);
  const show = async (scenario: Scenario): Promise<void> => {
    const startedAt = performance.now();
    const found = await scenario
      .run({ address, scale: 'Full' })
      .catch((error: unknown) => [String(error)]);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    counts[found.length === 0 ? 'passed' : 'failed'] += 1;
    const verdict = found.length === 0 ? 'ok    ' : 'FAILED';
    const why = found.map((finding) => `; ${finding}`).join('');
    process.stdout.write(`${verdict}  ${scenario.id} (${String(seconds)} s)${why}\n`);
  };
  for (const scenario of REFRESH_SCENARIOS.filter(isChosen)) await show(scenario);
  const kills = KILL_CASES.filter(({ id }) => args.length === 0 || args.includes(`${KILLS}${id}`));
  if (kills.length > 0) {
    await using bench = await openKillBench(address);
    for (const given of kills) {
      await show({
        id: `${KILLS}${given.id}`,
        requirement: 'TMP-02',
        run: () => bench.findings(given),
      });
    }
  }
  process.stdout.write(`${String(counts.passed)} passed, ${String(counts.failed)} failed\n`);
  return counts;
}

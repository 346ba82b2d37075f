/**
 * `npm run prove -- operator [ID…]`: what the operator does when it dies, when the API server or
 * its watches fail, and when two of it lead, on a real control plane and a real Temporal server.
 */
import { startControlPlane } from '../cluster/control-plane.ts';
import { openTestTemporal } from '../cluster/test-temporal.ts';
import { OPERATOR_SCENARIOS } from './operator/scenarios.ts';
import { openTemporalFixture } from './operator/temporal-fixture.ts';
import { installDefinitions } from '../cluster/test-kubernetes.ts';
import { SEED } from './seeded-sample.ts';

/** With ids as arguments only those. */
export async function run(args: readonly string[]): Promise<{ passed: number; failed: number }> {
  await using plane = await startControlPlane();
  await installDefinitions(plane);
  await using server = await openTestTemporal();
  await using temporal = await openTemporalFixture(server.address);
  const counts = { passed: 0, failed: 0 };
  for (const scenario of OPERATOR_SCENARIOS) {
    if (args.length > 0 && !args.includes(scenario.id)) continue;
    const startedAt = performance.now();
    const found = await scenario
      .run({ plane, temporal, scale: 'Full', seed: SEED })
      .catch((error: unknown) => [String(error)]);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    counts[found.length === 0 ? 'passed' : 'failed'] += 1;
    const verdict = found.length === 0 ? 'ok    ' : 'FAILED';
    const why = found.map((finding) => `\n        ${finding}`).join('');
    process.stdout.write(
      `${verdict}  ${scenario.id} (${String(seconds)} s): ${scenario.shows}${why}\n`,
    );
  }
  process.stdout.write(`${String(counts.passed)} passed, ${String(counts.failed)} failed\n`);
  return counts;
}

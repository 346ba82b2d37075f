/** All proofs about the operator, quickest first. */
import { seededSample } from '../seeded-sample.ts';
import { CRASHES } from './crash.ts';
import { DISTURBED } from './disturbances.ts';
import { FROZEN } from './leaders.ts';
import { MANY } from './many.ts';
import { FAMILIES, type OperatorScenario } from './scenario.ts';
import { PROCESSES } from './processes.ts';

export const OPERATOR_SCENARIOS: readonly OperatorScenario[] = [
  ...DISTURBED,
  ...FROZEN,
  ...CRASHES,
  ...PROCESSES,
  ...MANY,
];

/** One of each family, so that no way to go wrong is left out whatever the seed is. */
export function sampleOfProofs(seed: number): readonly OperatorScenario[] {
  return FAMILIES.flatMap((wanted) => {
    const scenarios = OPERATOR_SCENARIOS.filter(({ family }) => family === wanted);
    return seededSample(scenarios, 1, seed);
  });
}

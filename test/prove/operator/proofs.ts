/** What must be shown of the operator, quickest first. */
import { seededSample } from '../seeded-sample.ts';
import { CRASHES } from './crash.ts';
import { DISTURBED } from './disturbances.ts';
import { FROZEN } from './leaders.ts';
import { MANY } from './many.ts';
import { FAMILIES, type OperatorProof } from './proof.ts';
import { PROCESSES } from './processes.ts';

export const OPERATOR_PROOFS: readonly OperatorProof[] = [
  ...DISTURBED,
  ...FROZEN,
  ...CRASHES,
  ...PROCESSES,
  ...MANY,
];

/** One of each family, so that no way to go wrong is left out whatever the seed is. */
export function sampleOfProofs(seed: number): readonly OperatorProof[] {
  return FAMILIES.flatMap((wanted) => {
    const proofs = OPERATOR_PROOFS.filter(({ family }) => family === wanted);
    return seededSample(proofs, 1, seed);
  });
}

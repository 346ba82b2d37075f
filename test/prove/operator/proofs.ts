/** What must be shown of the operator, quickest first. */
import { CRASHES } from './crash.ts';
import { DISTURBED } from './disturbances.ts';
import { FROZEN } from './leaders.ts';
import { MANY } from './many.ts';
import type { OperatorProof } from './proof.ts';
import { PROCESSES } from './processes.ts';

export const OPERATOR_PROOFS: readonly OperatorProof[] = [
  ...DISTURBED,
  ...FROZEN,
  ...CRASHES,
  ...PROCESSES,
  ...MANY,
];

/** What goes wrong with an operator: its leader and itself die, and it has much to do. */
import { FAMILIES } from '../fault-injection/operator/scenario.ts';
import { AROUND, proveFamilies } from './operator-proofs.ts';

proveFamilies(
  'proofs of the operator itself',
  FAMILIES.filter((family) => !AROUND.includes(family)),
);

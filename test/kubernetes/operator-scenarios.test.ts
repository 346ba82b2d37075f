/** What goes wrong around an operator: events, requests, watches and servers. */
import { expect, test } from 'vitest';
import { FAMILIES } from '../fault-injection/operator/scenario.ts';
import { sampleOfProofs } from '../fault-injection/operator/scenarios.ts';
import { AROUND, proveFamilies } from './operator-proofs.ts';

const SEEDS = Array.from({ length: 20 }, (_, n) => n + 1);

test('every seed samples every family of proofs', () => {
  for (const seed of SEEDS) {
    expect(sampleOfProofs(seed).map(({ family }) => family)).toEqual(FAMILIES);
  }
});

proveFamilies('proofs of the operator', AROUND);

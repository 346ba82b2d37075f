/** Writes the example sets again: the same seed gives the same bytes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { faithfulCases, mutatedCases, type GroundingCase } from './cases.ts';
import { TEMPLATES } from './templates.ts';
import type { Chance } from './values.ts';

const SEED = 20_261_122;
const MUTATED_COUNT = 1_000;
const FAITHFUL_COUNT = 300;

/** The committed sets by the name of their file. */
export function exampleSets(): Readonly<Record<string, readonly GroundingCase[]>> {
  const chance = seededChance(SEED);
  return {
    'mutated.jsonl': mutatedCases(TEMPLATES, MUTATED_COUNT, chance),
    'faithful.jsonl': faithfulCases(TEMPLATES, FAITHFUL_COUNT, chance),
  };
}

/** Mulberry32, a generator of 32 bits in the public domain: enough to draw examples. */
export function seededChance(seed: number): Chance {
  let state = seed;
  return () => {
    state = Math.trunc(state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One case a line. */
export function setText(cases: readonly GroundingCase[]): string {
  return cases.map((each) => `${JSON.stringify(each)}\n`).join('');
}

if (import.meta.main) {
  for (const [name, cases] of Object.entries(exampleSets())) {
    writeFileSync(join(import.meta.dirname, name), setText(cases));
  }
}

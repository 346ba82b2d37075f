import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { faithfulCases, mutatedCases, type GroundingCase } from '#test/grounding/cases.ts';
import { HELD_OUT_TEMPLATES } from '#test/grounding/held-out-templates.ts';
import { changedShare, outcomesOf } from '#test/grounding/measure.ts';
import { MUTATIONS } from '#test/grounding/scene.ts';
import { exampleSets, seededChance, setText } from '#test/grounding/write-sets.ts';

const FOLDER = join(import.meta.dirname, '../grounding');

function committed(name: string): GroundingCase[] {
  const lines = readFileSync(join(FOLDER, name), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as GroundingCase);
}

describe('the example sets', () => {
  const mutated = outcomesOf(committed('mutated.jsonl'));
  const faithful = outcomesOf(committed('faithful.jsonl'));

  test('at least 95 % of 1,000 false facts do not stay as worded', () => {
    expect(mutated).toHaveLength(1_000);
    expect(changedShare(mutated)).toBeGreaterThanOrEqual(0.95);
  });

  test.each(MUTATIONS)(
    'at least nine of ten facts with another %s do not stay as worded',
    (mutation) => {
      const own = mutated.filter(({ judged }) => judged.mutation === mutation);
      expect(own.length).toBeGreaterThan(100);
      expect(changedShare(own)).toBeGreaterThanOrEqual(0.9);
    },
  );

  test('at least half of 300 faithful facts stay as worded', () => {
    expect(faithful).toHaveLength(300);
    expect(changedShare(faithful)).toBeLessThanOrEqual(0.5);
  });

  test('the sets match the output of their generator', () => {
    for (const [name, cases] of Object.entries(exampleSets())) {
      expect(readFileSync(join(FOLDER, name), 'utf8')).toBe(setText(cases));
    }
  });

  test('most facts of held-out scenes are judged correctly', () => {
    const chance = seededChance(11);
    const caught = changedShare(outcomesOf(mutatedCases(HELD_OUT_TEMPLATES, 350, chance)));
    const kept = changedShare(outcomesOf(faithfulCases(HELD_OUT_TEMPLATES, 150, chance)));
    expect(caught).toBeGreaterThanOrEqual(0.85);
    expect(kept).toBeLessThanOrEqual(0.6);
  });
});

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { outcomeOf, readMessages } from '#bench/extraction.ts';

const MESSAGES = readMessages(join(import.meta.dirname, '../../../extraction'));

describe('hand-written messages', () => {
  const outcomes = MESSAGES.map((each) => ({ each, ...outcomeOf(each) }));
  const sum = (of: (outcome: (typeof outcomes)[number]) => number): number =>
    outcomes.reduce((total, outcome) => total + of(outcome), 0);

  test('at least 90 % of kept statements are true and lasting, in each of four languages', () => {
    const groups = Map.groupBy(outcomes, ({ each }) => each.lang).values();
    const shares = [...groups].map((group) => {
      const kept = group.reduce((total, outcome) => total + outcome.kept.length, 0);
      expect(kept).toBeGreaterThan(20);
      return group.reduce((total, outcome) => total + outcome.right, 0) / kept;
    });
    expect(shares).toHaveLength(4);
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.9);
  });

  test('at least three of four lasting facts are kept', () => {
    const lasting = sum(({ each }) => each.facts.length);
    expect(lasting).toBeGreaterThan(100);
    expect(sum(({ found }) => found) / lasting).toBeGreaterThanOrEqual(0.75);
  });

  test.each(outcomes.filter(({ each }) => each.ends !== undefined))(
    'a correction ends what it corrects: $each.said',
    ({ event }) => {
      expect(event).toBe('SUPERSEDE');
    },
  );

  test.each(outcomes.filter(({ each }) => each.known !== undefined && each.ends === undefined))(
    'a message does not end what still holds: $each.said',
    ({ event }) => {
      expect(event).not.toBe('SUPERSEDE');
    },
  );
});

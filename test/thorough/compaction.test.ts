/** Words, refreshes and compactions in any order change nothing that is served. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  DAY_MS,
  openRetentionHarness,
  statements,
  type RetentionHarness,
} from '#test/unit/activities/retention/retention-harness.ts';

const RUNS = 12;
const TEST_MS_MAX = 120_000;

interface Step {
  readonly kind: 'say' | 'refresh' | 'advance' | 'compact' | 'say a lot';
  readonly session: 'one' | 'two';
  readonly days: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(
    'say',
    'say',
    'refresh',
    'refresh',
    'advance',
    'compact',
    'compact',
    'say a lot',
  ),
  session: fc.constantFrom('one', 'two'),
  days: fc.integer({ min: 1, max: 40 }),
});

describe('after random steps', () => {
  test(
    'a compaction changes no freshness and no summary, and no context shows compacted text',
    { timeout: TEST_MS_MAX },
    async () => {
      const property = fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        await using harness = await openRetentionHarness();
        let said = 0;
        for (const { kind, session, days } of steps) {
          if (kind === 'refresh') await harness.refresh();
          if (kind === 'advance') harness.fixture.advance(days * DAY_MS);
          if (kind.startsWith('say')) {
            const count = kind === 'say' ? 1 : 5;
            const words = statements(count, `plan-${String((said += 1))}`);
            await harness.say(session, [...words, `Aside ${String(said)} of no weight.`]);
          }
          if (kind === 'compact') await compactAndCompare(harness);
        }
      });
      await fc.assert(property, { numRuns: RUNS });
    },
  );
});

async function compactAndCompare(harness: RetentionHarness): Promise<void> {
  const sessions = ['one', 'two'];
  const before = await Promise.all(sessions.map((each) => harness.served(each)));
  const texts = new Map((await allTurns(harness)).map((turn) => [turn.id, turn.content]));
  const dry = await harness.compact(true);
  expect((await harness.compact()).counts).toMatchObject({
    ...dry.counts,
    answers: expect.any(Number),
  });
  expect(await Promise.all(sessions.map((each) => harness.served(each)))).toEqual(before);
  const gone = (await allTurns(harness)).filter(({ compactedAt }) => compactedAt !== null);
  for (const session of sessions) {
    const context = await harness.context(session);
    for (const { id } of gone) {
      const text = texts.get(id) ?? '';
      if (text !== '') expect(context).not.toContain(`user: ${text}`);
    }
  }
}

async function allTurns(harness: RetentionHarness) {
  return [...(await harness.turns('one')), ...(await harness.turns('two'))];
}

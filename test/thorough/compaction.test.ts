/** Whatever is said, refreshed and compacted in whatever order: nothing that is served changes. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  DAY_MS,
  openTalks,
  statements,
  type Talks,
} from '#test/unit/activities/retention/talks.ts';

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

describe('whatever happens in between', () => {
  test(
    'a compaction changes no freshness and no summary, and no context shows its text',
    { timeout: TEST_MS_MAX },
    async () => {
      const property = fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        await using talks = await openTalks();
        let said = 0;
        for (const { kind, session, days } of steps) {
          if (kind === 'refresh') await talks.refresh();
          if (kind === 'advance') talks.fixture.advance(days * DAY_MS);
          if (kind.startsWith('say')) {
            const count = kind === 'say' ? 1 : 5;
            const words = statements(count, `plan-${String((said += 1))}`);
            await talks.say(session, [...words, `Aside ${String(said)} of no weight.`]);
          }
          if (kind === 'compact') await compactAndCompare(talks);
        }
      });
      await fc.assert(property, { numRuns: RUNS });
    },
  );
});

async function compactAndCompare(talks: Talks): Promise<void> {
  const sessions = ['one', 'two'];
  const before = await Promise.all(sessions.map((each) => talks.served(each)));
  const texts = new Map((await allTurns(talks)).map((turn) => [turn.id, turn.content]));
  const dry = await talks.compact(true);
  expect((await talks.compact()).counts).toMatchObject({
    ...dry.counts,
    answers: expect.any(Number),
  });
  expect(await Promise.all(sessions.map((each) => talks.served(each)))).toEqual(before);
  const gone = (await allTurns(talks)).filter(({ compactedAt }) => compactedAt !== null);
  for (const session of sessions) {
    const context = await talks.context(session);
    for (const { id } of gone) {
      const text = texts.get(id) ?? '';
      if (text !== '') expect(context).not.toContain(`user: ${text}`);
    }
  }
}

async function allTurns(talks: Talks) {
  return [...(await talks.turns('one')), ...(await talks.turns('two'))];
}

/**
 * What is new to dreams, over any store: dreams read each block once, whatever is written
 * meanwhile.
 */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  ANN_ID,
  keepAll,
  openDreamFixture,
  TENANT,
  type DreamFixture,
} from '#test/unit/activities/dreams/dream-fixture.ts';

import type { Open } from './adapter.ts';
import { ANN } from './document-samples.ts';
import { OSLO } from './dream-samples.ts';
import { DAY_MS } from './samples.ts';

const RUNS = 6;
const TEST_MS_MAX = 180_000;
const PAGE = { after: '', limit: 9 };

type Step =
  /** Of today, or of the day before, behind what a dream may have read. */
  | { readonly kind: 'Say'; readonly days: number }
  /** So many blocks come while the model answers. */
  | { readonly kind: 'Dream'; readonly meanwhile: number };

const STEP: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('Say'), days: fc.constantFrom(-1, 0) }),
  fc.record({ kind: fc.constant('Dream'), meanwhile: fc.nat({ max: 2 }) }),
);
const STEPS = fc.array(STEP, { minLength: 2, maxLength: 8 });

export function dreamNewsSuite(open: Open): void {
  describe('dreams: new blocks', () => {
    it(
      'a subject has something new while a block is unread, and each is read once',
      { timeout: TEST_MS_MAX },
      async () => {
        const property = fc.asyncProperty(STEPS, (steps) => expectEachReadOnce(open, steps));
        await fc.assert(property, { numRuns: RUNS });
      },
    );
  });
}

async function expectEachReadOnce(open: Open, steps: readonly Step[]): Promise<void> {
  const said: string[] = [];
  let meanwhile = 0;
  await using fixture = await openDreamFixture({
    open,
    async answers(question) {
      for (; meanwhile > 0; meanwhile -= 1) await say(0);
      return keepAll(question);
    },
  });
  const say = async (days: number): Promise<void> => {
    const text = `${OSLO} ${String(said.length)}`;
    said.push(text);
    const announcement = { subjectId: ANN_ID, announcedAt: fixture.now() };
    fixture.advance(days * DAY_MS);
    await fixture.append([text], { subject: ANN, ...announcement });
    fixture.advance(-days * DAY_MS);
  };
  await say(0);
  for (const step of steps) {
    if (step.kind === 'Say') await say(step.days);
    else {
      ({ meanwhile } = step);
      await fixture.dream();
    }
    await expectNews(fixture, said);
  }
  meanwhile = 0;
  await fixture.dream();
  expect(await expectNews(fixture, said)).toBe(false);
  expect(readIn(fixture).toSorted()).toEqual(said.toSorted());
}

/** Whether the record and the list of subjects tell of what no dream has read; they agree. */
async function expectNews(fixture: DreamFixture, said: readonly string[]): Promise<boolean> {
  const { hasNew } = await fixture.subject();
  expect(hasNew).toBe(readIn(fixture).length < said.length);
  const listed = await fixture.opened.store.subjects.list(TENANT, { ...PAGE, hasNew: true });
  expect(listed.map(({ subject }) => subject)).toEqual(hasNew ? [ANN] : []);
  return hasNew;
}

/** The text of each block that was new to a dream. */
function readIn({ questions }: DreamFixture): readonly string[] {
  return questions.flatMap(({ daily, readBefore }) =>
    daily.filter(({ id }) => !readBefore.has(id)).map(({ text }) => text),
  );
}

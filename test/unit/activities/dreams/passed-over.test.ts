/** News of which a dream keeps nothing: how often it is read again, and when it counts as read. */
import { describe, expect, test } from 'vitest';
import { dreamAnswerText } from '#core/dreams/dream-answer.ts';
import { PASSES_MAX, passedOverAfter, unreadAgain } from '#core/dreams/passed-over.ts';
import type { DreamQuestion } from '#core/ports/dream-model.ts';
import { PASSED_OVER_MAX } from '#core/records/subject-record.ts';
import { OSLO, ROSES, TEA } from '#test/conformance/dream-samples.ts';
import { keepAll, openDreamFixture } from './dream-fixture.ts';

const FILE = 'memory/2026-11-01.md';
const AGAIN = 'Not kept: the next dream reads it again';

/** All but the roses. */
function withoutRoses(question: DreamQuestion): string {
  return keepAll({ ...question, daily: question.daily.filter(({ text }) => text !== ROSES) });
}

const empty = (): string => dreamAnswerText({ lines: [], diary: ['All is known.'], isWhole: true });

describe('news of which an answer keeps nothing', () => {
  test.each([
    ['leaves it out', withoutRoses, [TEA]],
    ['has no line at all', empty, []],
  ])('stays unread where the answer %s, and the next dream reads it', async (_, answer, kept) => {
    let next: (question: DreamQuestion) => string = answer;
    await using fixture = await openDreamFixture({ answers: (question) => next(question) });
    await fixture.append([ROSES]);
    await fixture.append([TEA]);
    await fixture.dream();
    expect(await fixture.memory()).toEqual(kept);
    expect((await fixture.blocks(FILE))[0]?.dreamedAt).toBeNull();
    const diary = await fixture.blocks('memory/dreams/2026-11-01.md');
    const told = diary.flatMap(({ lines }) => lines).filter(({ heading }) => heading === AGAIN);
    expect(told.map(({ text }) => text)).toContain(ROSES);
    next = keepAll;
    await fixture.append([OSLO]);
    expect(await fixture.dream()).toMatchObject({ outcome: 'Dreamed' });
    expect((await fixture.memory()).toSorted()).toEqual([OSLO, ROSES, TEA].toSorted());
    expect((await fixture.subject()).passedOver).toEqual([]);
  });

  test('counts as read after three dreams, so that it is not paid for again', async () => {
    await using fixture = await openDreamFixture({ answers: withoutRoses });
    await fixture.append([ROSES]);
    for (let night = 1; night <= PASSES_MAX; night += 1) {
      await fixture.append([`${OSLO} ${String(night)}`]);
      expect(await fixture.dream()).toMatchObject({ outcome: 'Dreamed' });
      const [roses] = await fixture.blocks(FILE);
      expect(roses?.dreamedAt === null, `dream ${String(night)}`).toBe(night < PASSES_MAX);
    }
    expect((await fixture.subject()).passedOver).toEqual([]);
  });

  test('is not asked of the model again while nothing else is new', async () => {
    await using fixture = await openDreamFixture({ answers: empty });
    await fixture.append([ROSES]);
    await fixture.dream();
    expect(await fixture.dream()).toMatchObject({ outcome: 'SameContent' });
    expect(fixture.questions).toHaveLength(1);
  });
});

test('remembers no more blocks than it may, and forgets the oldest first', () => {
  const places = Array.from({ length: PASSED_OVER_MAX + 5 }, (_, n) => ({
    path: FILE,
    version: n + 1,
  }));
  expect(unreadAgain({}, places)).toHaveLength(PASSED_OVER_MAX);
  const known = places.slice(0, PASSED_OVER_MAX).map((place) => ({ ...place, times: 1 }));
  const passedOver = places.slice(PASSED_OVER_MAX);
  const after = passedOverAfter({ passedOver: known }, { blocks: [], passedOver });
  expect(after).toHaveLength(PASSED_OVER_MAX);
  expect(after.at(-1)).toEqual({ ...places.at(-1), times: 1 });
  expect(after[0]?.version).toBe(6);
});

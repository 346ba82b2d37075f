/** News of which a dream keeps nothing: how often it is read again, and when it counts as read. */
import { describe, expect, test } from 'vitest';
import { dreamAnswerText } from '#core/dreams/dream-answer.ts';
import { PASSES_MAX, passedOverAfter, unreadAgain } from '#core/dreams/passed-over.ts';
import type { DreamQuestion } from '#core/ports/dream-model.ts';
import { PASSED_OVER_MAX } from '#core/records/subject-record.ts';
import { OSLO, ROSES, TEA } from '#test/conformance/dream-samples.ts';
import { keepAll, openDreamStand } from './dream-stand.ts';

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
    await using stand = await openDreamStand({ answers: (question) => next(question) });
    await stand.append([ROSES]);
    await stand.append([TEA]);
    await stand.dream();
    expect(await stand.memory()).toEqual(kept);
    expect((await stand.blocks(FILE))[0]?.dreamedAt).toBeNull();
    const diary = await stand.blocks('memory/dreams/2026-11-01.md');
    const told = diary.flatMap(({ lines }) => lines).filter(({ heading }) => heading === AGAIN);
    expect(told.map(({ text }) => text)).toContain(ROSES);
    next = keepAll;
    await stand.append([OSLO]);
    expect(await stand.dream()).toMatchObject({ outcome: 'Dreamed' });
    expect((await stand.memory()).toSorted()).toEqual([OSLO, ROSES, TEA].toSorted());
    expect((await stand.subject()).passedOver).toEqual([]);
  });

  test('counts as read after three dreams, so that it is not paid for again', async () => {
    await using stand = await openDreamStand({ answers: withoutRoses });
    await stand.append([ROSES]);
    for (let night = 1; night <= PASSES_MAX; night += 1) {
      await stand.append([`${OSLO} ${String(night)}`]);
      expect(await stand.dream()).toMatchObject({ outcome: 'Dreamed' });
      const [roses] = await stand.blocks(FILE);
      expect(roses?.dreamedAt === null, `dream ${String(night)}`).toBe(night < PASSES_MAX);
    }
    expect((await stand.subject()).passedOver).toEqual([]);
  });

  test('is not asked of the model again while nothing else is new', async () => {
    await using stand = await openDreamStand({ answers: empty });
    await stand.append([ROSES]);
    await stand.dream();
    expect(await stand.dream()).toMatchObject({ outcome: 'SameContent' });
    expect(stand.questions).toHaveLength(1);
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

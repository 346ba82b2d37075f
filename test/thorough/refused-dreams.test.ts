/** Paid dreams without a result: how many there are, what is set aside, and when dreams pause. */
import { describe, expect, test } from 'vitest';
import { dreamAnswerText, readDreamAnswer } from '#core/dreams/dream-answer.ts';
import type { DreamInput } from '#core/dreams/dream-contract.ts';
import { PASSED_OVER_TIMES_MAX } from '#core/dreams/passed-over-blocks.ts';
import { REFUSALS_MAX } from '#core/dreams/failed-dreams.ts';
import { VarveError } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';
import type { DreamQuestion } from '#core/ports/dream-model.ts';
import { SET_ASIDE_AT } from '#core/records/document.ts';
import { diaryPath } from '#core/memory-files/paths.ts';
import { NOW } from '#test/conformance/samples.ts';
import { OSLO, ROSES, TEA } from '../conformance/dream-samples.ts';
import {
  answered,
  inputOf,
  keepAll,
  openDreamFixture,
  type DreamFixture,
  type FixtureOptions,
} from '../unit/activities/dreams/dream-fixture.ts';

const POISON = 'Ann says what no model understands.';
const FILE = 'memory/2026-11-01.md';
/** More writes than it takes to look what is new. */
const STEPS_MAX = 100;

/** Those who may not spend the money of the tenant at will. */
const BY_TIME: readonly [string, Partial<DreamInput>][] = [
  ['a round', { round: { dream: 'nightly', at: NOW } }],
  ['a bound principal', { isBound: true }],
];

/** What no source says, wherever the poison is read. */
function poisoned(question: DreamQuestion): string {
  const { daily } = question;
  if (!daily.some(({ text }) => text === POISON)) return keepAll(question);
  const lines = [answered('Ann owns 17 yachts in Monaco.', daily[0]?.id ?? '')];
  return dreamAnswerText({ lines, diary: [], isWhole: true });
}

async function fixtureWith(
  answers: NonNullable<FixtureOptions['answers']>,
  fallback = answers,
): Promise<DreamFixture> {
  const fixture = await openDreamFixture({ answers, fallback });
  await fixture.append([POISON]);
  return fixture;
}

describe.each([...BY_TIME, ['a person', {}] as const])(
  'content that the model cannot ground, dreamed of by %s',
  (_, input) => {
    test('is kept verbatim by the fallback dreamer on the fourth dream', async () => {
      await using fixture = await fixtureWith(poisoned, keepAll);
      for (let night = 0; night < REFUSALS_MAX; night += 1) {
        expect(await fixture.dream(input)).toMatchObject({ outcome: 'LowGrounding' });
      }
      const asked = fixture.questions.length;
      expect(await fixture.dream(input)).toMatchObject({ outcome: 'Dreamed', added: 1 });
      expect(fixture.questions).toHaveLength(asked);
      expect(await fixture.memory()).toEqual([POISON]);
      const diary = await fixture.blocks(diaryPath('2026-11-01'));
      const told = diary.flatMap(({ lines }) => lines.map(({ text }) => text));
      expect(told.filter((text) => text.includes('replace it'))).toHaveLength(1);
      await fixture.append([OSLO]);
      await fixture.dream(input);
      expect(fixture.questions, 'the model is asked again').toHaveLength(asked + 1);
    });
  },
);

describe.each(BY_TIME)(
  'content that neither the model nor the fallback can ground, dreamed of by %s',
  (_, input) => {
    test('is set aside after the fallback even if a new block comes each day', async () => {
      await using fixture = await fixtureWith(poisoned);
      for (let night = 0; night <= REFUSALS_MAX; night += 1) {
        await fixture.append([`${OSLO} ${String(night)}`]);
        expect(await fixture.dream(input)).toMatchObject({ outcome: 'LowGrounding' });
      }
      expect(await fixture.dream(input)).toMatchObject({
        outcome: 'Dreamed',
        added: REFUSALS_MAX + 1,
      });
      const [poison, ...others] = await fixture.blocks(FILE);
      expect(poison?.dreamedAt).toBe(SET_ASIDE_AT);
      expect(others.map(({ dreamedAt }) => dreamedAt)).toEqual(others.map(() => fixture.now()));
      await fixture.append([ROSES]);
      expect(await fixture.dream(input), 'it is not shown again').toMatchObject({
        outcome: 'Dreamed',
      });
    });

    test('is reported in the diary once, without its text', async () => {
      await using fixture = await fixtureWith(poisoned);
      for (let night = 0; night <= REFUSALS_MAX; night += 1) await fixture.dream(input);
      const asked = fixture.questions.length;
      expect(await fixture.dream(input)).toMatchObject({ outcome: 'DeadLettered' });
      expect(await fixture.subject()).toMatchObject({ hasNew: false, refused: null });
      expect(await fixture.dream(input)).toMatchObject({ outcome: 'NothingNew' });
      expect(fixture.questions).toHaveLength(asked);
      const diary = await fixture.blocks(diaryPath('2026-11-01'));
      const told = diary.flatMap(({ lines }) => lines.map(({ text }) => text));
      expect(
        told.filter((text) => text.startsWith(`Block 1 of ${FILE} is set aside`)),
      ).toHaveLength(1);
      expect(told.join(' ')).not.toContain(POISON);
    });
  },
);

describe.each(BY_TIME)('a failing model, asked for a dream by %s', (_, input) => {
  const failing = (code: ErrorCode) => (): never => {
    throw new VarveError(code, 'It failed.');
  };

  test.each(['TIMEOUT'] as const)(
    'may charge for a %s, so dreams pause after three failures until a new block comes',
    async (code) => {
      await using fixture = await fixtureWith(failing(code));
      for (let night = 0; night < REFUSALS_MAX; night += 1) {
        expect(await fixture.dream(input)).toMatchObject({ outcome: 'Failed' });
      }
      const asked = fixture.questions.length;
      expect(await fixture.dream(input)).toMatchObject({ outcome: 'DeadLettered' });
      expect(fixture.questions).toHaveLength(asked);
      expect(await fixture.subject()).toMatchObject({ hasNew: true });
      expect(await fixture.dream(), 'somebody asks').toMatchObject({ outcome: 'Failed' });
      fixture.advance(1);
      await fixture.append([OSLO]);
      expect(await fixture.dream(input), 'a block came').toMatchObject({ outcome: 'Failed' });
      expect(await fixture.dream(input)).toMatchObject({ outcome: 'DeadLettered' });
      const blocks = await fixture.blocks(FILE);
      expect(blocks.map(({ dreamedAt }) => dreamedAt)).toEqual([null, null]);
    },
  );

  test.each(['RATE_LIMITED', 'PROVIDER_ERROR', 'UNAUTHENTICATED', 'NOT_FOUND'] as const)(
    'is tried again each time after %s',
    async (code) => {
      await using fixture = await fixtureWith(failing(code));
      for (let night = 0; night <= REFUSALS_MAX; night += 1) {
        expect(await fixture.dream(input)).toMatchObject({ outcome: 'Failed' });
      }
    },
  );
});

/** What is left of setting a block aside where its worker died at a write, and came again. */
async function asideAfter(crashAt: number | null) {
  await using fixture = await fixtureWith(poisoned);
  for (let night = 0; night <= REFUSALS_MAX; night += 1) {
    await fixture.dream({ isBound: true });
  }
  await fixture.append([OSLO]);
  const input = { ...inputOf('dream-1'), isBound: true as const };
  if (crashAt !== null) {
    fixture.opened.crashAt(crashAt);
    await fixture
      .activities()
      .gatherDream(input)
      .catch(() => undefined);
  }
  const hasCrashed = fixture.opened.hasCrashed();
  await fixture.opened.reopen();
  const reading = await fixture.activities().gatherDream(input);
  const { refused, hasNew } = await fixture.subject();
  const diary = await fixture.blocks(diaryPath('2026-11-01'));
  const told = diary.filter(({ key }) => key?.startsWith('aside/')).length;
  const marks = (await fixture.blocks(FILE)).map(({ dreamedAt }) => dreamedAt);
  return { hasCrashed, left: { kind: reading.kind, refused, hasNew, told, marks } };
}

test('a death at any write does not change what is set aside', async () => {
  const whole = {
    kind: 'Ready',
    refused: null,
    hasNew: true,
    told: 1,
    marks: [SET_ASIDE_AT, null],
  };
  expect(await asideAfter(null)).toEqual({ hasCrashed: false, left: whole });
  let deaths = 0;
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const { hasCrashed, left } = await asideAfter(step);
    expect(left, `death at step ${String(step)}`).toEqual(whole);
    if (!hasCrashed) break;
    deaths += 1;
  }
  expect(deaths).toBeGreaterThan(2);
  expect(deaths).toBeLessThan(STEPS_MAX);
});

test('blocks read by a truncated answer do not count as read', async () => {
  let isCut = true;
  await using fixture = await openDreamFixture({
    answers: (question) => {
      const answer = readDreamAnswer(keepAll(question));
      const lines = isCut ? answer.lines.slice(0, 1) : answer.lines;
      return dreamAnswerText({ ...answer, lines, isWhole: !isCut });
    },
  });
  await fixture.append([OSLO]);
  await fixture.append([ROSES]);
  expect(await fixture.dream()).toMatchObject({ outcome: 'LowGrounding', added: 0 });
  expect(await fixture.memory()).toEqual([]);
  expect((await fixture.blocks(FILE)).map(({ dreamedAt }) => dreamedAt)).toEqual([null, null]);
  const { processedHash, hasNew, refused } = await fixture.subject();
  expect([processedHash, hasNew]).toEqual([null, true]);
  expect(refused, 'so that it is not paid for every night').toMatchObject({ answers: 1 });
  const [diary] = await fixture.blocks(diaryPath('2026-11-01'));
  expect(diary?.lines.map(({ text }) => text).join(' ')).toMatch(/broke off before its end/u);
  isCut = false;
  expect(await fixture.dream()).toMatchObject({ outcome: 'Dreamed', added: 2 });
  expect(await fixture.memory()).toEqual([OSLO, ROSES]);
});

const AGAIN = 'Not kept: the next dream reads it again';

/** All but the roses. */
function withoutRoses(question: DreamQuestion): string {
  return keepAll({ ...question, daily: question.daily.filter(({ text }) => text !== ROSES) });
}

const empty = (): string => dreamAnswerText({ lines: [], diary: ['All is known.'], isWhole: true });

describe('new blocks that an answer leaves out', () => {
  test.each([
    ['omits one of them', withoutRoses, [TEA]],
    ['has no lines', empty, []],
  ])('stay unread if the answer %s, and the next dream reads them', async (_, answer, kept) => {
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

  test('count as read after three dreams, so that they are not paid for again', async () => {
    await using fixture = await openDreamFixture({ answers: withoutRoses });
    await fixture.append([ROSES]);
    for (let night = 1; night <= PASSED_OVER_TIMES_MAX; night += 1) {
      await fixture.append([`${OSLO} ${String(night)}`]);
      expect(await fixture.dream()).toMatchObject({ outcome: 'Dreamed' });
      const [roses] = await fixture.blocks(FILE);
      expect(roses?.dreamedAt === null, `dream ${String(night)}`).toBe(
        night < PASSED_OVER_TIMES_MAX,
      );
    }
    expect((await fixture.subject()).passedOver).toEqual([]);
  });

  test('are not shown to the model again while nothing else is new', async () => {
    await using fixture = await openDreamFixture({ answers: empty });
    await fixture.append([ROSES]);
    await fixture.dream();
    expect(await fixture.dream()).toMatchObject({ outcome: 'SameContent' });
    expect(fixture.questions).toHaveLength(1);
  });
});

/** A dream whose model stopped in the middle of its answer. */
import { expect, test } from 'vitest';
import { dreamAnswerText, readDreamAnswer } from '#core/dreams/dream-answer.ts';
import { diaryPath } from '#core/records/document.ts';
import { OSLO, ROSES } from '#test/conformance/dream-samples.ts';
import { keepAll, openDreamFixture } from './dream-fixture.ts';

const FILE = 'memory/2026-11-01.md';

test('nothing of what a broken-off answer had read is taken for read', async () => {
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

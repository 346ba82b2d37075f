/** A dream whose model stopped in the middle of its answer. */
import { expect, test } from 'vitest';
import { dreamAnswerText, readDreamAnswer } from '#core/dreams/dream-answer.ts';
import { diaryPath } from '#core/records/document.ts';
import { OSLO, ROSES } from '#test/conformance/dream-samples.ts';
import { keepAll, openDreamStand } from './dream-stand.ts';

const FILE = 'memory/2026-11-01.md';

test('nothing of what a broken-off answer had read is taken for read', async () => {
  let isCut = true;
  await using stand = await openDreamStand({
    answers: (question) => {
      const answer = readDreamAnswer(keepAll(question));
      const lines = isCut ? answer.lines.slice(0, 1) : answer.lines;
      return dreamAnswerText({ ...answer, lines, isWhole: !isCut });
    },
  });
  await stand.append([OSLO]);
  await stand.append([ROSES]);
  expect(await stand.dream()).toMatchObject({ outcome: 'LowGrounding', added: 0 });
  expect(await stand.memory()).toEqual([]);
  expect((await stand.blocks(FILE)).map(({ dreamedAt }) => dreamedAt)).toEqual([null, null]);
  const { processedHash, hasNew, refused } = await stand.subject();
  expect([processedHash, hasNew]).toEqual([null, true]);
  expect(refused, 'so that it is not paid for every night').toMatchObject({ answers: 1 });
  const [diary] = await stand.blocks(diaryPath('2026-11-01'));
  expect(diary?.lines.map(({ text }) => text).join(' ')).toMatch(/broke off before its end/u);
  isCut = false;
  expect(await stand.dream()).toMatchObject({ outcome: 'Dreamed', added: 2 });
  expect(await stand.memory()).toEqual([OSLO, ROSES]);
});

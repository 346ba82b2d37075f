/** One dream of one subject: what it reads, asks, proposes, writes and marks. */
import { describe, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import type { DreamQuestion } from '#core/ports/dream-model.ts';
import { diaryPath, MEMORY_PATH } from '#core/records/document.ts';
import { coreOf, lineOf } from '#test/conformance/document-samples.ts';
import { dreamPolicy, OSLO, ROSES, TEA } from '#test/conformance/dream-samples.ts';
import { DAY_MS, NOW, ownerOf } from '#test/conformance/samples.ts';
import {
  ANN_ID,
  answered,
  inputOf,
  keepAll,
  openDreamStand,
  SETTLED_MS,
  TENANT,
  type DreamStand,
} from './dream-stand.ts';
import { dreamAnswerText } from '#core/dreams/dream-answer.ts';

const diaryOf = (stand: DreamStand) => stand.blocks(diaryPath('2026-11-01'));
const entriesOf = ({ opened }: DreamStand) => opened.store.accounts.entries(TENANT, { limit: 9 });
const proposalsOf = ({ opened }: DreamStand) => opened.store.proposals.list(TENANT, { limit: 9 });

/** With a block that is old enough to be known to stand in its file. */
async function standWith(
  lines: readonly string[],
  options: Parameters<typeof openDreamStand>[0] = {},
): Promise<DreamStand> {
  const stand = await openDreamStand(options);
  await stand.append(lines);
  stand.advance(SETTLED_MS);
  return stand;
}

/** What stands in no source. */
function nonsense({ daily }: DreamQuestion): string {
  const lines = [answered('Ann owns 17 yachts in Monaco.', daily[0]?.id ?? '')];
  return dreamAnswerText({ lines, diary: [], isWhole: true });
}

describe('a dream', () => {
  test('DREAM-01: reads MEMORY.md and the last daily files, as many as are asked for', async () => {
    await using stand = await openDreamStand();
    await stand.append([TEA]);
    stand.advance(SETTLED_MS);
    await stand.dream();
    for (const text of [OSLO, ROSES]) {
      stand.advance(DAY_MS);
      await stand.append([text]);
      await stand.dream({ lookbackDays: 2 });
    }
    const [, second, third] = stand.questions;
    const textsOf = (sources: readonly { text: string }[] = []) => sources.map(({ text }) => text);
    expect([textsOf(second?.memory), textsOf(second?.daily)]).toEqual([[TEA], [TEA, OSLO]]);
    expect([textsOf(third?.memory), textsOf(third?.daily)]).toEqual([
      [TEA, OSLO],
      [OSLO, ROSES],
    ]);
  });

  test('DREAM-03: writes a version of MEMORY.md and the diary, and marks what it read', async () => {
    await using stand = await standWith([TEA, OSLO]);
    expect(await stand.dream()).toEqual({
      outcome: 'Dreamed',
      added: 2,
      removed: 0,
      inputTokens: 100,
      outputTokens: 10,
    });
    expect(await stand.memory()).toEqual([TEA, OSLO]);
    const [diary] = await diaryOf(stand);
    expect(diary?.lines.map(({ text }) => text)).toContain('All is kept.');
    const [block] = await stand.blocks('memory/2026-11-01.md');
    expect(block?.dreamedAt).toBe(stand.now());
    const [proposal] = await proposalsOf(stand);
    expect(proposal).toMatchObject({ state: 'Applied', dream: null, model: 'stub' });
    expect(await stand.subject()).toMatchObject({
      hasNew: false,
      processedHash: proposal?.contentHash,
      last: { outcome: 'Dreamed', dreamId: proposal?.id, at: stand.now() },
    });
  });

  test('DREAM-04: is skipped without a call where the content is what was done last', async () => {
    await using stand = await standWith([TEA]);
    await stand.dream();
    await stand.append([TEA]);
    stand.advance(SETTLED_MS);
    expect(await stand.subject()).toMatchObject({ hasNew: true });
    expect(await stand.dream()).toMatchObject({ outcome: 'SameContent' });
    expect(await stand.subject()).toMatchObject({
      hasNew: false,
      last: { outcome: 'SameContent' },
    });
    expect(stand.questions).toHaveLength(1);
  });

  test('what waits for a person is not asked again, and is once more is new', async () => {
    await using stand = await standWith([TEA]);
    await stand.declare({ dreams: [dreamPolicy({ approval: 'Required' })] });
    expect(await stand.dream()).toMatchObject({ outcome: 'Waiting' });
    expect(await stand.dream()).toMatchObject({ outcome: 'SameContent' });
    expect(stand.questions).toHaveLength(1);
    expect(await stand.memory()).toEqual([]);
    await stand.append([OSLO]);
    expect(await stand.subject()).toMatchObject({ hasNew: true });
    stand.advance(SETTLED_MS);
    expect(await stand.dream()).toMatchObject({ outcome: 'Waiting' });
    const states = (await proposalsOf(stand)).map(({ state }) => state);
    expect(states).toEqual(['Waiting', 'Outdated']);
  });

  test('DREAM-05: is skipped where no daily file has content, and MEMORY.md stays', async () => {
    await using stand = await standWith([TEA]);
    await stand.dream();
    await stand.append(['   ']);
    stand.advance(SETTLED_MS);
    expect(await stand.subject()).toMatchObject({ hasNew: true });
    expect(await stand.dream()).toMatchObject({ outcome: 'NothingNew' });
    expect(await stand.subject()).toMatchObject({ hasNew: false, last: { outcome: 'NothingNew' } });
    expect(await stand.memory()).toEqual([TEA]);
    expect(stand.questions).toHaveLength(1);
  });

  test('a block that may still be on its way keeps the subject as having something new', async () => {
    await using stand = await openDreamStand();
    await stand.append([TEA]);
    stand.advance(SETTLED_MS - 1);
    await stand.dream();
    expect(await stand.subject()).toMatchObject({ hasNew: true });
    stand.advance(1);
    await stand.dream();
    expect(await stand.subject()).toMatchObject({ hasNew: false });
  });

  test('DREAM-06: an answer that its sources do not support leaves MEMORY.md, and is asked anew', async () => {
    await using stand = await standWith([TEA], {
      answers: (question, call) =>
        call === 1
          ? nonsense(question)
          : dreamAnswerText({
              lines: [answered(TEA, question.daily[0]?.id ?? '')],
              diary: [],
              isWhole: true,
            }),
    });
    expect(await stand.dream()).toMatchObject({ outcome: 'LowGrounding', added: 0 });
    expect(await stand.memory()).toEqual([]);
    expect(await proposalsOf(stand)).toEqual([]);
    expect(await diaryOf(stand)).toHaveLength(1);
    expect(await stand.subject()).toMatchObject({
      hasNew: true,
      last: { outcome: 'LowGrounding' },
    });
    expect(await stand.dream()).toMatchObject({ outcome: 'Dreamed' });
    expect(await stand.memory()).toEqual([TEA]);
  });

  test('what another wrote into MEMORY.md meanwhile stays, and is dreamed of next', async () => {
    const own = 'Ann said so herself.';
    const stand: DreamStand = await standWith([TEA], {
      answers: async (question, call) => {
        if (call === 1) await writeMemory(stand, own);
        return keepAll(question);
      },
    });
    await using _ = stand;
    expect(await stand.dream()).toMatchObject({ outcome: 'Outdated' });
    expect(await stand.memory()).toEqual([own]);
    expect(await stand.subject()).toMatchObject({ hasNew: true, processedHash: null });
    expect(await diaryOf(stand)).toEqual([]);
    expect(await stand.dream()).toMatchObject({ outcome: 'Dreamed' });
    expect(await stand.memory()).toEqual([own, TEA]);
  });

  test('a block that comes during the call is left to the next dream', async () => {
    const stand: DreamStand = await standWith([TEA], {
      answers: async (question, call) => {
        if (call === 1) await stand.append([OSLO]);
        return keepAll(question);
      },
    });
    await using _ = stand;
    expect(await stand.dream()).toMatchObject({ outcome: 'Dreamed', added: 1 });
    expect(await stand.subject()).toMatchObject({ hasNew: true });
    expect(await stand.dream()).toMatchObject({ outcome: 'Dreamed', added: 1 });
    expect(await stand.memory()).toEqual([TEA, OSLO]);
  });
});

async function writeMemory({ opened, now, ports }: DreamStand, text: string): Promise<void> {
  const { newId } = ports.platform;
  const place = { tenant: TENANT, subject: 'user/ann', path: MEMORY_PATH };
  const version = ((await opened.store.documents.latest(place))?.version ?? 0) + 1;
  const line = lineOf(0, { id: newId(), heading: null, text, sources: [], at: now() });
  const written = { id: newId(), lines: [line], at: now() };
  const byCaller = { author: 'caller', proposalId: null } as const;
  await opened.store.documents.put(coreOf(TENANT, version, { ...written, ...byCaller }));
}

describe('the budget of a dream', () => {
  test('is reserved and settled under the purpose of dreams', async () => {
    await using stand = await standWith([TEA]);
    await stand.dream();
    const spent = { tokens: 110, microDollars: 120 };
    expect(await entriesOf(stand)).toMatchObject([
      { purpose: 'dream', outcome: 'Usage', model: 'stub', spent },
    ]);
  });

  test.each(['Reject', 'ServeStale'] as const)(
    'that ended leaves everything for the next round, with %s',
    async (onExhausted) => {
      await using stand = await standWith([TEA]);
      const budget = { limitTokens: 1, limitMicroDollars: null, onExhausted };
      await stand.declare({ budget });
      expect(await stand.dream()).toMatchObject({ outcome: 'BudgetExhausted' });
      expect(await stand.subject()).toMatchObject({
        hasNew: true,
        processedHash: null,
        last: { outcome: 'BudgetExhausted' },
      });
      expect(stand.questions).toEqual([]);
      await stand.declare();
      expect(await stand.dream()).toMatchObject({ outcome: 'Dreamed' });
    },
  );

  test('that ended is helped by the dreamer without a model, where that was chosen', async () => {
    await using stand = await standWith([TEA]);
    const budget = { limitTokens: 1, limitMicroDollars: null, onExhausted: 'Extractive' as const };
    await stand.declare({ budget });
    expect(await stand.dream()).toMatchObject({ outcome: 'Dreamed', added: 1 });
    expect(stand.questions).toEqual([]);
    expect(await entriesOf(stand)).toEqual([]);
    expect(await proposalsOf(stand)).toMatchObject([{ model: 'extractive' }]);
  });

  test('of a model that fails is settled, and the next round tries again', async () => {
    await using stand = await standWith([TEA], {
      answers: (question, call) => {
        if (call === 1) throw new VarveError('PROVIDER_REJECTED', 'Refused.');
        return keepAll(question);
      },
    });
    expect(await stand.dream()).toMatchObject({ outcome: 'Failed' });
    expect(await entriesOf(stand)).toMatchObject([{ outcome: 'NotCharged' }]);
    expect(await stand.subject()).toMatchObject({ hasNew: true, last: { outcome: 'Failed' } });
    expect(await stand.dream()).toMatchObject({ outcome: 'Dreamed' });
  });

  test('of an answer without its sections is spent, and nothing is written', async () => {
    await using stand = await standWith([TEA], { answers: () => 'I would rather not.' });
    expect(await stand.dream({ dreamId: 'dream-1' })).toMatchObject({ outcome: 'Failed' });
    expect(await entriesOf(stand)).toMatchObject([{ outcome: 'Usage' }]);
    const answers = await stand.opened.store.answers.ofBatch(TENANT, 'dream-1');
    expect(answers).toMatchObject([{ text: null }]);
    expect(await stand.memory()).toEqual([]);
    expect(await stand.subject()).toMatchObject({ hasNew: true });
  });
});

describe('a dream that is repeated', () => {
  test('pays once for the same question, and makes one proposal', async () => {
    await using stand = await standWith([TEA]);
    const input = inputOf('dream-1');
    const { gatherDream, distilDream, proposeDream } = stand.activities();
    const reading = await gatherDream(input);
    if (reading.kind !== 'Ready') throw new Error('There is nothing to dream of.');
    const { cut } = reading;
    expect(await distilDream({ ...input, cut })).toMatchObject({ called: true });
    expect(await distilDream({ ...input, cut })).toMatchObject({ called: false, model: 'stub' });
    const proposed = { ...input, cut, model: 'stub' };
    const report = await proposeDream(proposed);
    expect(report).toMatchObject({ outcome: 'Dreamed', added: 1 });
    expect(await proposeDream(proposed)).toEqual(report);
    expect(stand.questions).toHaveLength(1);
    expect(await proposalsOf(stand)).toHaveLength(1);
    expect(await diaryOf(stand)).toHaveLength(1);
    const answers = await stand.opened.store.answers.ofBatch(TENANT, 'dream-1');
    expect(answers).toMatchObject([{ state: 'committed', text: null }]);
  });

  test('of too little grounding says the same, and tells of it once', async () => {
    await using stand = await standWith([TEA], {
      answers: ({ daily }) =>
        dreamAnswerText({
          lines: [answered('Ann owns 17 yachts.', daily[0]?.id ?? '')],
          diary: [],
          isWhole: true,
        }),
    });
    const input = inputOf('dream-1');
    const { gatherDream, distilDream, proposeDream } = stand.activities();
    const reading = await gatherDream(input);
    if (reading.kind !== 'Ready') throw new Error('There is nothing to dream of.');
    await distilDream({ ...input, cut: reading.cut });
    const proposed = { ...input, cut: reading.cut, model: 'stub' };
    expect(await proposeDream(proposed)).toMatchObject({ outcome: 'LowGrounding' });
    expect(await proposeDream(proposed)).toMatchObject({ outcome: 'LowGrounding' });
    expect(await diaryOf(stand)).toHaveLength(1);
  });
});

describe('a released tenant', () => {
  const release = ({ opened }: DreamStand) =>
    opened.store.policies.release(TENANT, ownerOf('test'), { now: NOW });

  test('gets no dream, and no note of one', async () => {
    await using stand = await standWith([TEA]);
    await stand.declare();
    await release(stand);
    const before = await stand.opened.dump();
    expect(await stand.dream()).toMatchObject({ outcome: 'Gone' });
    await stand.activities().endDream({ ...inputOf('dream-1'), outcome: 'Failed' });
    expect(await stand.opened.dump()).toEqual(before);
  });

  test.each(['during the call', 'before the proposal', 'before the application'])(
    'has nothing written where it was let go of %s',
    async (when) => {
      const stand: DreamStand = await standWith([TEA], {
        answers: async (question) => {
          if (when === 'during the call') await release(stand);
          return keepAll(question);
        },
      });
      await using _ = stand;
      await stand.declare({
        dreams: [dreamPolicy(when === 'before the application' ? { approval: 'Required' } : {})],
      });
      const activities = stand.activities();
      const input = inputOf('dream-1');
      const reading = await activities.gatherDream(input);
      if (reading.kind !== 'Ready') throw new Error('There is nothing to dream of.');
      const { cut } = reading;
      const distilled = await activities.distilDream({ ...input, cut });
      if (when === 'during the call') {
        expect(distilled).toEqual({ kind: 'Gone' });
        expect(await stand.opened.store.answers.ofBatch(TENANT, 'dream-1')).toEqual([]);
        expect(await entriesOf(stand)).toMatchObject([{ state: 'Settled', outcome: 'Usage' }]);
        return;
      }
      if (when === 'before the proposal') await release(stand);
      const proposed = await activities.proposeDream({ ...input, cut, model: 'stub' });
      if (when === 'before the proposal') expect(proposed).toMatchObject({ outcome: 'Gone' });
      else {
        await release(stand);
        const application = { tenant: TENANT, proposalId: 'dream-1' };
        expect(await activities.applyProposal(application)).toEqual({ state: 'Gone' });
      }
      expect(await stand.memory()).toEqual([]);
    },
  );

  test('a subject that is no more ends its dream', async () => {
    await using stand = await openDreamStand();
    expect(await stand.dream({ subjectId: ANN_ID })).toMatchObject({ outcome: 'Gone' });
  });
});

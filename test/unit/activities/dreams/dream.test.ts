/** One dream of one subject: what it reads, asks, proposes, writes and marks. */
import { describe, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import type { DreamQuestion } from '#core/ports/dream-model.ts';
import { diaryPath, MEMORY_PATH } from '#core/memory-files/paths.ts';
import { coreOf, lineOf } from '#test/conformance/document-samples.ts';
import { dreamPolicy, OSLO, ROSES, TEA } from '#test/conformance/dream-samples.ts';
import { DAY_MS, NOW, ownerOf } from '#test/conformance/samples.ts';
import {
  ANN_ID,
  answered,
  inputOf,
  keepAll,
  openDreamFixture,
  TENANT,
  type DreamFixture,
} from './dream-fixture.ts';
import { dreamAnswerText } from '#core/dreams/dream-answer.ts';

const diaryOf = (fixture: DreamFixture) => fixture.blocks(diaryPath('2026-11-01'));
const entriesOf = ({ opened }: DreamFixture) => opened.store.accounts.entries(TENANT, { limit: 9 });
const proposalsOf = ({ opened }: DreamFixture) => opened.store.proposals.list(TENANT, { limit: 9 });

/** With a block old enough that it is known to be in its file. */
async function fixtureWith(
  lines: readonly string[],
  options: Parameters<typeof openDreamFixture>[0] = {},
): Promise<DreamFixture> {
  const fixture = await openDreamFixture(options);
  await fixture.append(lines);
  return fixture;
}

/** What no source says. */
function nonsense({ daily }: DreamQuestion): string {
  const lines = [answered('Ann owns 17 yachts in Monaco.', daily[0]?.id ?? '')];
  return dreamAnswerText({ lines, diary: [], isWhole: true });
}

describe('a dream', () => {
  test('DREAM-01: reads MEMORY.md and the last daily files, as many as requested', async () => {
    await using fixture = await openDreamFixture();
    await fixture.append([TEA]);
    await fixture.dream();
    for (const text of [OSLO, ROSES]) {
      fixture.advance(DAY_MS);
      await fixture.append([text]);
      await fixture.dream({ lookbackDays: 2 });
    }
    const [, second, third] = fixture.questions;
    const textsOf = (sources: readonly { text: string }[] = []) => sources.map(({ text }) => text);
    expect([textsOf(second?.memory), textsOf(second?.daily)]).toEqual([[TEA], [TEA, OSLO]]);
    expect([textsOf(third?.memory), textsOf(third?.daily)]).toEqual([
      [TEA, OSLO],
      [OSLO, ROSES],
    ]);
  });

  test('DREAM-03: writes a version of MEMORY.md and the diary, and marks the blocks it read', async () => {
    await using fixture = await fixtureWith([TEA, OSLO]);
    expect(await fixture.dream()).toEqual({
      outcome: 'Dreamed',
      added: 2,
      removed: 0,
      inputTokens: 100,
      outputTokens: 10,
    });
    expect(await fixture.memory()).toEqual([TEA, OSLO]);
    const [diary] = await diaryOf(fixture);
    const noted = diary?.lines.find(({ heading }) => heading === 'In the words of the model');
    expect(noted?.text).toBe(TEA);
    const [block] = await fixture.blocks('memory/2026-11-01.md');
    expect(block?.dreamedAt).toBe(fixture.now());
    const [proposal] = await proposalsOf(fixture);
    expect(proposal).toMatchObject({ state: 'Applied', dream: null, model: 'stub' });
    expect(await fixture.subject()).toMatchObject({
      hasNew: false,
      processedHash: proposal?.contentHash,
      last: { outcome: 'Dreamed', dreamId: proposal?.id, at: fixture.now() },
    });
  });

  test('DREAM-04: is skipped without a call if its content equals that of the last dream', async () => {
    await using fixture = await fixtureWith([TEA]);
    await fixture.dream();
    await fixture.append([TEA]);
    expect(await fixture.subject()).toMatchObject({ hasNew: true });
    expect(await fixture.dream()).toMatchObject({ outcome: 'SameContent' });
    expect(await fixture.subject()).toMatchObject({
      hasNew: false,
      last: { outcome: 'SameContent' },
    });
    expect(fixture.questions).toHaveLength(1);
  });

  test('is skipped while its proposal waits for approval, until there is a new block', async () => {
    await using fixture = await fixtureWith([TEA]);
    await fixture.declare({ dreams: [dreamPolicy({ approval: 'Required' })] });
    expect(await fixture.dream()).toMatchObject({ outcome: 'Waiting' });
    expect(await fixture.dream()).toMatchObject({ outcome: 'SameContent' });
    expect(fixture.questions).toHaveLength(1);
    expect(await fixture.memory()).toEqual([]);
    await fixture.append([OSLO]);
    expect(await fixture.subject()).toMatchObject({ hasNew: true });
    expect(await fixture.dream()).toMatchObject({ outcome: 'Waiting' });
    const states = (await proposalsOf(fixture)).map(({ state }) => state);
    expect(states).toEqual(['Waiting', 'Outdated']);
  });

  test('DREAM-05: is skipped if no daily file has content, and MEMORY.md stays', async () => {
    await using fixture = await fixtureWith([TEA]);
    await fixture.dream();
    await fixture.append(['   ']);
    expect(await fixture.subject()).toMatchObject({ hasNew: true });
    expect(await fixture.dream()).toMatchObject({ outcome: 'NothingNew' });
    expect(await fixture.subject()).toMatchObject({
      hasNew: false,
      last: { outcome: 'NothingNew' },
    });
    expect(await fixture.memory()).toEqual([TEA]);
    expect(fixture.questions).toHaveLength(1);
  });

  test('leaves nothing new after reading the latest block', async () => {
    await using fixture = await openDreamFixture();
    await fixture.append([TEA]);
    await fixture.dream();
    expect(await fixture.subject()).toMatchObject({ hasNew: false });
    await fixture.append([OSLO]);
    expect(await fixture.subject()).toMatchObject({ hasNew: true });
  });

  test('DREAM-06: leaves MEMORY.md unchanged if its answer is ungrounded, then asks again', async () => {
    await using fixture = await fixtureWith([TEA], {
      answers: (question, call) =>
        call === 1
          ? nonsense(question)
          : dreamAnswerText({
              lines: [answered(TEA, question.daily[0]?.id ?? '')],
              diary: [],
              isWhole: true,
            }),
    });
    expect(await fixture.dream()).toMatchObject({ outcome: 'LowGrounding', added: 0 });
    expect(await fixture.memory()).toEqual([]);
    expect(await proposalsOf(fixture)).toEqual([]);
    expect(await diaryOf(fixture)).toHaveLength(1);
    expect(await fixture.subject()).toMatchObject({
      hasNew: true,
      last: { outcome: 'LowGrounding' },
    });
    expect(await fixture.dream()).toMatchObject({ outcome: 'Dreamed' });
    expect(await fixture.memory()).toEqual([TEA]);
  });

  test('keeps what another wrote into MEMORY.md meanwhile, and dreams again', async () => {
    const own = 'Ann said so herself.';
    const fixture: DreamFixture = await fixtureWith([TEA], {
      answers: async (question, call) => {
        if (call === 1) await writeMemory(fixture, own);
        return keepAll(question);
      },
    });
    await using _ = fixture;
    expect(await fixture.dream()).toMatchObject({ outcome: 'Outdated' });
    expect(await fixture.memory()).toEqual([own]);
    expect(await fixture.subject()).toMatchObject({ hasNew: true, processedHash: null });
    expect(await diaryOf(fixture)).toEqual([]);
    expect(await fixture.dream()).toMatchObject({ outcome: 'Dreamed' });
    expect(await fixture.memory()).toEqual([own, TEA]);
  });

  test('leaves a block that arrives during the call to the next dream', async () => {
    const fixture: DreamFixture = await fixtureWith([TEA], {
      answers: async (question, call) => {
        if (call === 1) await fixture.append([OSLO]);
        return keepAll(question);
      },
    });
    await using _ = fixture;
    expect(await fixture.dream()).toMatchObject({ outcome: 'Dreamed', added: 1 });
    expect(await fixture.subject()).toMatchObject({ hasNew: true });
    expect(await fixture.dream()).toMatchObject({ outcome: 'Dreamed', added: 1 });
    expect(await fixture.memory()).toEqual([TEA, OSLO]);
  });
});

async function writeMemory({ opened, now, ports }: DreamFixture, text: string): Promise<void> {
  const { newId } = ports.platform;
  const place = { tenant: TENANT, subject: 'user/ann', path: MEMORY_PATH };
  const version = ((await opened.store.documents.latest(place))?.version ?? 0) + 1;
  const line = lineOf(0, { id: newId(), heading: null, text, sources: [], at: now() });
  const written = { id: newId(), lines: [line], at: now() };
  const byCaller = { author: 'caller', proposalId: null } as const;
  await opened.store.documents.put(coreOf(TENANT, version, { ...written, ...byCaller }));
}

describe('the budget of a dream', () => {
  test('is reserved and settled for the purpose dream', async () => {
    await using fixture = await fixtureWith([TEA]);
    await fixture.dream();
    const spent = { tokens: 110, microDollars: 120 };
    expect(await entriesOf(fixture)).toMatchObject([
      { purpose: 'dream', outcome: 'Usage', model: 'stub', spent },
    ]);
  });

  test.each(['Reject', 'ServeStale'] as const)(
    'leaves everything for the next round once exhausted, with %s',
    async (onExhausted) => {
      await using fixture = await fixtureWith([TEA]);
      const budget = { limitTokens: 1, limitMicroDollars: null, onExhausted };
      await fixture.declare({ budget });
      expect(await fixture.dream()).toMatchObject({ outcome: 'BudgetExhausted' });
      expect(await fixture.subject()).toMatchObject({
        hasNew: true,
        processedHash: null,
        last: { outcome: 'BudgetExhausted' },
      });
      expect(fixture.questions).toEqual([]);
      await fixture.declare();
      expect(await fixture.dream()).toMatchObject({ outcome: 'Dreamed' });
    },
  );

  test('lets the extractive dreamer take over once exhausted, with Extractive', async () => {
    await using fixture = await fixtureWith([TEA]);
    const budget = { limitTokens: 1, limitMicroDollars: null, onExhausted: 'Extractive' as const };
    await fixture.declare({ budget });
    expect(await fixture.dream()).toMatchObject({ outcome: 'Dreamed', added: 1 });
    expect(fixture.questions).toEqual([]);
    expect(await entriesOf(fixture)).toEqual([]);
    expect(await proposalsOf(fixture)).toMatchObject([{ model: 'extractive' }]);
  });

  test('is settled if the model fails, and the next round tries again', async () => {
    await using fixture = await fixtureWith([TEA], {
      answers: (question, call) => {
        if (call === 1) throw new VarveError('PROVIDER_REJECTED', 'Refused.');
        return keepAll(question);
      },
    });
    expect(await fixture.dream()).toMatchObject({ outcome: 'Failed' });
    expect(await entriesOf(fixture)).toMatchObject([{ outcome: 'NotCharged' }]);
    expect(await fixture.subject()).toMatchObject({
      hasNew: true,
      last: { outcome: 'Failed', code: 'PROVIDER_REJECTED' },
    });
    expect(await fixture.dream()).toMatchObject({ outcome: 'Dreamed' });
  });

  test('is spent on an answer without its sections, and nothing is written', async () => {
    await using fixture = await fixtureWith([TEA], { answers: () => 'I would rather not.' });
    expect(await fixture.dream({ dreamId: 'dream-1' })).toMatchObject({ outcome: 'Failed' });
    expect(await entriesOf(fixture)).toMatchObject([{ outcome: 'Usage' }]);
    const answers = await fixture.opened.store.answers.ofBatch(TENANT, 'dream-1');
    expect(answers).toMatchObject([{ text: null }]);
    expect(await fixture.memory()).toEqual([]);
    expect(await fixture.subject()).toMatchObject({ hasNew: true });
  });
});

describe('a repeated dream', () => {
  test('pays once for the same question and makes one proposal', async () => {
    await using fixture = await fixtureWith([TEA]);
    const input = inputOf('dream-1');
    const { gatherDream, distilDream, proposeDream } = fixture.activities();
    const reading = await gatherDream(input);
    if (reading.kind !== 'Ready') throw new Error('There is nothing to dream of.');
    const { cut } = reading;
    expect(await distilDream({ ...input, cut })).toMatchObject({ called: true });
    expect(await distilDream({ ...input, cut })).toMatchObject({ called: false, model: 'stub' });
    const proposed = { ...input, cut, model: 'stub' };
    const report = await proposeDream(proposed);
    expect(report).toMatchObject({ outcome: 'Dreamed', added: 1 });
    expect(await proposeDream(proposed)).toEqual(report);
    expect(fixture.questions).toHaveLength(1);
    expect(await proposalsOf(fixture)).toHaveLength(1);
    expect(await diaryOf(fixture)).toHaveLength(1);
    const answers = await fixture.opened.store.answers.ofBatch(TENANT, 'dream-1');
    expect(answers).toMatchObject([{ state: 'committed', text: null }]);
  });

  test('reports low grounding again but writes one diary entry', async () => {
    await using fixture = await fixtureWith([TEA], {
      answers: ({ daily }) =>
        dreamAnswerText({
          lines: [answered('Ann owns 17 yachts.', daily[0]?.id ?? '')],
          diary: [],
          isWhole: true,
        }),
    });
    const input = inputOf('dream-1');
    const { gatherDream, distilDream, proposeDream } = fixture.activities();
    const reading = await gatherDream(input);
    if (reading.kind !== 'Ready') throw new Error('There is nothing to dream of.');
    await distilDream({ ...input, cut: reading.cut });
    const proposed = { ...input, cut: reading.cut, model: 'stub' };
    expect(await proposeDream(proposed)).toMatchObject({ outcome: 'LowGrounding' });
    expect(await proposeDream(proposed)).toMatchObject({ outcome: 'LowGrounding' });
    expect(await diaryOf(fixture)).toHaveLength(1);
  });
});

describe('a released tenant', () => {
  const release = ({ opened }: DreamFixture) =>
    opened.store.policies.release(TENANT, ownerOf('test'), { now: NOW });

  test('gets no dream and no record of one', async () => {
    await using fixture = await fixtureWith([TEA]);
    await fixture.declare();
    await release(fixture);
    const before = await fixture.opened.dump();
    expect(await fixture.dream()).toMatchObject({ outcome: 'Gone' });
    await fixture.activities().endDream({ ...inputOf('dream-1'), outcome: 'Failed' });
    expect(await fixture.opened.dump()).toEqual(before);
  });

  test.each(['during the call', 'before the proposal', 'before the application'])(
    'gets nothing written if it was released %s',
    async (when) => {
      const fixture: DreamFixture = await fixtureWith([TEA], {
        answers: async (question) => {
          if (when === 'during the call') await release(fixture);
          return keepAll(question);
        },
      });
      await using _ = fixture;
      await fixture.declare({
        dreams: [dreamPolicy(when === 'before the application' ? { approval: 'Required' } : {})],
      });
      const activities = fixture.activities();
      const input = inputOf('dream-1');
      const reading = await activities.gatherDream(input);
      if (reading.kind !== 'Ready') throw new Error('There is nothing to dream of.');
      const { cut } = reading;
      const distilled = await activities.distilDream({ ...input, cut });
      if (when === 'during the call') {
        expect(distilled).toEqual({ kind: 'Gone' });
        expect(await fixture.opened.store.answers.ofBatch(TENANT, 'dream-1')).toEqual([]);
        expect(await entriesOf(fixture)).toMatchObject([{ state: 'Settled', outcome: 'Usage' }]);
        return;
      }
      if (when === 'before the proposal') await release(fixture);
      const proposed = await activities.proposeDream({ ...input, cut, model: 'stub' });
      if (when === 'before the proposal') expect(proposed).toMatchObject({ outcome: 'Gone' });
      else {
        await release(fixture);
        const application = { tenant: TENANT, proposalId: 'dream-1' };
        expect(await activities.applyProposal(application)).toEqual({ state: 'Gone' });
      }
      expect(await fixture.memory()).toEqual([]);
    },
  );

  test('a dream ends if its subject no longer exists', async () => {
    await using fixture = await openDreamFixture();
    expect(await fixture.dream({ subjectId: ANN_ID })).toMatchObject({ outcome: 'Gone' });
  });
});

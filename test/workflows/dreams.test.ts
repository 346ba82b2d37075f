/** Dreams on a real Temporal: scheduled and on request, with a crash, a refusal and an approval. */
import { describe, expect, it } from 'vitest';
import {
  applyDreamWorkflowId,
  dreamWorkflowId,
  type DreamResult,
} from '#core/dreams/dream-contract.ts';
import { VarveError } from '#core/errors.ts';
import { subjectOf } from '#test/conformance/document-samples.ts';
import { dreamPolicy } from '#test/conformance/dream-samples.ts';
import { DAY_MS, HOUR_MS } from '#test/conformance/samples.ts';
import { openDreams, PERSON, type DreamStack } from './dream-fixture.ts';
import { eventually } from './fixture.ts';
import { historiesOfWorkflow, PAYLOAD_BYTES_MAX, readHistory } from './history-text.ts';
import { door } from './model-stub.ts';

const TEA = 'Zaphod prefers green tea and never drinks coffee after noon.';
const OSLO = 'Zaphod moved to Oslo in May 2024 and works at the harbour office.';

/** Versions of the diaries of the day, and of the day before if the dream ran before midnight. */
const diaryOf = async (stack: DreamStack) => {
  const { calendar, platform } = stack.parts;
  const times = [platform.clock() - HOUR_MS, platform.clock()];
  const days = new Set(times.map((at) => calendar.dayOf(at, 'UTC')));
  const paths = [...days].map((day) => `memory/dreams/${day}.md`);
  return (await Promise.all(paths.map((path) => stack.documents(path)))).flat();
};
const entriesOf = ({ parts, tenant }: DreamStack) =>
  parts.store.accounts.entries(tenant, { limit: 9 });
const proposalsOf = ({ parts, tenant }: DreamStack) =>
  parts.store.proposals.list(tenant, { limit: 9 });
const described = ({ temporal, subjectId }: DreamStack) =>
  temporal.client.workflow.getHandle(dreamWorkflowId({ subjectId })).describe();

describe('a dream', () => {
  it('is started by the tick on time for a subject with something new', async () => {
    await using stack = await openDreams();
    await using _worker = await stack.startWorker();
    const dream = dreamPolicy();
    await stack.declare({ dreams: [dream] });
    await stack.append([TEA, OSLO]);
    const { parts, tenant } = stack;
    const idle = { subject: 'agent/idle', subjectId: parts.platform.newId() };
    const nothing = { announcedAt: 0, hasNew: false };
    await parts.store.subjects.put(subjectOf(tenant, { ...idle, ...nothing }));
    expect(await stack.tick()).toBe(0);
    await stack.makeDue(dream);
    expect(await stack.tick()).toBe(1);
    expect(await stack.settled()).toMatchObject({ outcome: 'Dreamed' });
    expect((await stack.memory()).join(' ')).toContain('green tea');
    expect(await diaryOf(stack)).toHaveLength(1);
    expect(await stack.subject()).toMatchObject({ hasNew: false, last: { outcome: 'Dreamed' } });
    const schedule = await parts.store.dreamSchedules.get(tenant, dream.name);
    expect(schedule?.last).toMatchObject({ started: 1, outcomes: { Dreamed: 1 } });
    expect(schedule?.last?.endedAt).not.toBeNull();
    expect(await stack.tick()).toBe(0);
  });

  it('DREAM-01, DREAM-02: reads the files, asks once, and writes both files', async () => {
    await using stack = await openDreams({ before: () => undefined });
    await using _worker = await stack.startWorker();
    await stack.append([TEA]);
    expect(await stack.start()).toBe('Started');
    const first = await stack.settled();
    expect(first).toMatchObject({ outcome: 'Dreamed', added: 1 });
    // Two days, so that the diary of the first day is no longer one of `diaryOf`.
    stack.advance(2 * DAY_MS);
    await stack.append([OSLO]);
    await stack.start({ lookbackDays: 3 });
    expect(await stack.settled()).toMatchObject({ outcome: 'Dreamed', added: 1 });
    const [, second] = stack.questions;
    expect(second?.memory.map(({ text }) => text)).toEqual([TEA]);
    expect(second?.daily.map(({ text }) => text)).toEqual([TEA, OSLO]);
    expect(await stack.memory()).toEqual([TEA, OSLO]);
    expect(await diaryOf(stack)).toHaveLength(1);
    const entries = await entriesOf(stack);
    expect(entries.map(({ purpose, outcome }) => [purpose, outcome])).toEqual([
      ['dream', 'Usage'],
      ['dream', 'Usage'],
    ]);
  });

  it('DREAM-05: is skipped if no file has content, DREAM-04: or if the content is the same again', async () => {
    await using stack = await openDreams({ before: () => undefined });
    await using _worker = await stack.startWorker();
    const dreamOf = async (text: string): Promise<DreamResult['outcome']> => {
      await stack.append([text]);
      await stack.start();
      return (await stack.settled()).outcome;
    };
    expect(await dreamOf('   ')).toBe('NothingNew');
    expect(await stack.subject()).toMatchObject({ hasNew: false });
    expect(await stack.documents('MEMORY.md')).toEqual([]);
    expect(await dreamOf(TEA)).toBe('Dreamed');
    expect(await dreamOf(TEA)).toBe('SameContent');
    expect(stack.questions).toHaveLength(1);
    expect(await stack.memory()).toEqual([TEA]);
  });

  it('runs once per subject at a time, and a repeated start finds its own run', async () => {
    const held = door();
    await using stack = await openDreams({ before: () => held.opened });
    await using _worker = await stack.startWorker();
    await stack.append([TEA]);
    const input = stack.input();
    expect(await stack.temporal.dreams.start(input)).toBe('Started');
    await eventually('the call', async () => stack.questions.length === 1);
    expect(await stack.start()).toBe('Running');
    expect(await stack.temporal.dreams.start(input)).toBe('Started');
    held.open();
    expect(await stack.settled()).toMatchObject({ outcome: 'Dreamed' });
    expect(stack.questions).toHaveLength(1);
  });

  it('ends as Failed and is settled if the model fails, and runs again later', async () => {
    await using stack = await openDreams({
      before: (_, call) => {
        if (call === 1) throw new VarveError('PROVIDER_REJECTED', 'Refused.');
      },
    });
    await using _worker = await stack.startWorker();
    await stack.append([TEA]);
    await stack.start();
    expect(await stack.settled()).toMatchObject({ outcome: 'Failed' });
    expect(await stack.subject()).toMatchObject({ hasNew: true, last: { outcome: 'Failed' } });
    expect(await entriesOf(stack)).toMatchObject([{ outcome: 'NotCharged' }]);
    await stack.start();
    expect(await stack.settled()).toMatchObject({ outcome: 'Dreamed' });
  });

  it('leaves everything new and reports BudgetExhausted without budget', async () => {
    await using stack = await openDreams({ before: () => undefined });
    await using _worker = await stack.startWorker();
    const budget = { limitTokens: 1, limitMicroDollars: null, onExhausted: 'Reject' as const };
    await stack.declare({ budget });
    await stack.append([TEA]);
    await stack.start();
    expect(await stack.settled()).toMatchObject({ outcome: 'BudgetExhausted' });
    expect(await stack.subject()).toMatchObject({ hasNew: true });
    const { searchAttributes } = await described(stack);
    expect(searchAttributes).toMatchObject({
      Tenant: [stack.tenant],
      Phase: ['BudgetExhausted'],
      BudgetState: ['Exhausted'],
    });
    expect(stack.questions).toEqual([]);
  });

  it('TMP-02: is paid for once if its worker stops after storing the answer', async () => {
    await using stack = await openDreams({ before: () => undefined });
    await stack.append([TEA]);
    const reached = Promise.withResolvers<undefined>();
    {
      await using _worker = await stack.startWorker((activities) => ({
        ...activities,
        distilDream: async (input) => {
          await activities.distilDream(input);
          reached.resolve(undefined);
          throw new VarveError('PROVIDER_ERROR', 'The worker is gone.');
        },
      }));
      await stack.start();
      await reached.promise;
    }
    await using _other = await stack.startWorker();
    expect(await stack.settled()).toMatchObject({ outcome: 'Dreamed', added: 1 });
    expect(stack.questions).toHaveLength(1);
    expect(await entriesOf(stack)).toMatchObject([{ outcome: 'Usage' }]);
    expect(await stack.memory()).toEqual([TEA]);
  });

  it('loses nothing if its run is terminated', async () => {
    const held = door();
    await using stack = await openDreams({
      before: (_, call) => (call === 1 ? held.opened : undefined),
    });
    await using _worker = await stack.startWorker();
    await stack.append([TEA]);
    await stack.start();
    await eventually('the call', async () => stack.questions.length === 1);
    const { subjectId, temporal } = stack;
    await temporal.client.workflow.getHandle(dreamWorkflowId({ subjectId })).terminate();
    held.open();
    expect(await stack.subject()).toMatchObject({ hasNew: true, last: null });
    await stack.start();
    expect(await stack.settled()).toMatchObject({ outcome: 'Dreamed' });
    expect(await stack.memory()).toEqual([TEA]);
  });

  it('records its end if it is cancelled, and the next one continues', async () => {
    const held = door();
    await using stack = await openDreams({
      before: (_, call) => (call === 1 ? held.opened : undefined),
    });
    await using _worker = await stack.startWorker();
    await stack.append([TEA]);
    await stack.start();
    await eventually('the call', async () => stack.questions.length === 1);
    const { subjectId, temporal } = stack;
    await temporal.client.workflow.getHandle(dreamWorkflowId({ subjectId })).cancel();
    await expect(stack.settled()).rejects.toThrow('cancelled');
    held.open();
    expect(await stack.subject()).toMatchObject({ hasNew: true, last: { outcome: 'Failed' } });
    await stack.start();
    expect(await stack.settled()).toMatchObject({ outcome: 'Dreamed' });
  });
});

describe('a proposal that requires approval', () => {
  it('changes nothing before its approval and is applied once after it', async () => {
    await using stack = await openDreams();
    await using _worker = await stack.startWorker();
    await stack.declare({ dreams: [dreamPolicy({ approval: 'Required' })] });
    await stack.append([TEA]);
    await stack.start();
    expect(await stack.settled()).toMatchObject({ outcome: 'Waiting' });
    expect(await stack.memory()).toEqual([]);
    const [proposal] = await proposalsOf(stack);
    if (proposal === undefined) throw new Error('There is no proposal.');
    const { parts, tenant, temporal } = stack;
    const decision = { at: parts.platform.clock(), principal: 'somebody', reason: 'Right.' };
    const version = proposal.version + 1;
    await parts.store.proposals.put({ ...proposal, state: 'Approved', decision, version });
    const application = { tenant, proposalId: proposal.id };
    expect(await temporal.dreams.apply(application)).toBe('Started');
    const run = temporal.client.workflow.getHandle(applyDreamWorkflowId(application));
    expect(await run.result()).toEqual({ state: 'Applied' });
    expect(await stack.memory()).toEqual([TEA]);
    expect(await temporal.dreams.apply(application)).toBe('Started');
    expect(await run.result()).toEqual({ state: 'Applied' });
    expect(await stack.documents('MEMORY.md')).toHaveLength(1);
    expect(await stack.subject()).toMatchObject({ hasNew: false, last: { outcome: 'Dreamed' } });
    const { searchAttributes } = await run.describe();
    expect(searchAttributes).toMatchObject({ Tenant: [tenant], Phase: ['Applied'] });
  });

  it('is applied by the tick if it was approved but not applied', async () => {
    await using stack = await openDreams();
    await using _worker = await stack.startWorker();
    await stack.declare({ dreams: [dreamPolicy({ approval: 'Required' })] });
    await stack.append([TEA]);
    await stack.start();
    expect(await stack.settled()).toMatchObject({ outcome: 'Waiting' });
    const [proposal] = await proposalsOf(stack);
    if (proposal === undefined) throw new Error('There is no proposal.');
    const { parts, tenant, temporal } = stack;
    const decision = { at: parts.platform.clock(), principal: 'somebody', reason: 'Right.' };
    const version = proposal.version + 1;
    await parts.store.proposals.put({ ...proposal, state: 'Approved', decision, version });
    stack.advance(DAY_MS);
    await stack.tick();
    const application = { tenant, proposalId: proposal.id };
    const run = temporal.client.workflow.getHandle(applyDreamWorkflowId(application));
    expect(await run.result()).toEqual({ state: 'Applied' });
    expect(await stack.memory()).toEqual([TEA]);
    expect(await parts.store.proposals.get(tenant, proposal.id)).toMatchObject({
      state: 'Applied',
    });
  });
});

describe('the history of a dream', () => {
  it('holds ids, counts and codes, but no subject and no content', async () => {
    await using stack = await openDreams({
      before: (_, call) => {
        if (call === 1) throw new Error('Zaphod was in the text.');
      },
    });
    await using _worker = await stack.startWorker();
    const dream = dreamPolicy();
    await stack.declare({ dreams: [dream] });
    await stack.append([TEA, OSLO]);
    await stack.makeDue(dream);
    await stack.tick();
    expect(await stack.settled()).toMatchObject({ outcome: 'Dreamed' });
    expect((await stack.memory()).join(' ')).toContain('Zaphod');
    const { subjectId, temporal } = stack;
    const runs = await eventually('a listed run', async () => {
      const found = await historiesOfWorkflow({ temporal }, dreamWorkflowId({ subjectId }));
      return found.length > 0 ? found : null;
    });
    const { texts, payloads } = readHistory(runs.map(({ history }) => history));
    const text = texts.join('\n');
    // What gathering answered is in there, so payloads were read.
    expect(text).toContain('sourceTokens');
    for (const secret of ['Zaphod', 'zaphod', 'Oslo', 'tea', PERSON]) {
      expect(text).not.toContain(secret);
    }
    expect(Math.max(...payloads)).toBeLessThan(PAYLOAD_BYTES_MAX);
  });

  it('TMP-03: shows the tenant and phase of a run and the purpose of each call', async () => {
    await using stack = await openDreams({ before: () => undefined });
    await using _worker = await stack.startWorker();
    await stack.append([TEA]);
    await stack.start();
    const { outcome } = await stack.settled();
    const found = await described(stack);
    expect(await found.staticSummary()).toBe(`Dream of a subject of tenant ${stack.tenant}`);
    expect(found.searchAttributes).toMatchObject({ Tenant: [stack.tenant], Phase: [outcome] });
    const { subjectId, temporal } = stack;
    const run = temporal.client.workflow.getHandle(dreamWorkflowId({ subjectId }));
    const { events } = await run.fetchHistory();
    const summaries = (events ?? []).flatMap(({ userMetadata, ...event }) =>
      event.activityTaskScheduledEventAttributes?.activityType?.name === 'distilDream'
        ? [Buffer.from(userMetadata?.summary?.data ?? []).toString('utf8')]
        : [],
    );
    expect(summaries).toEqual([expect.stringMatching(/^"1 block; \d+ tokens; metered"$/u)]);
  });
});

/** A worker dies at any of its writes: a retry ends as an undisturbed run does. */
import { describe, expect, test } from 'vitest';
import type { DreamCut, DreamInput } from '#core/dreams/dream-contract.ts';
import { dreamAnswerText } from '#core/dreams/dream-answer.ts';
import { roundBegun } from '#core/dreams/dream-round.ts';
import type { DreamQuestion } from '#core/ports/dream-model.ts';
import type { DreamRuns } from '#core/ports/dream-runs.ts';
import { lineOf, coreOf, scheduleOf } from '#test/conformance/document-samples.ts';
import { dreamPolicy, TEA } from '#test/conformance/dream-samples.ts';
import { MINUTE_MS, NOW } from '#test/conformance/samples.ts';
import {
  answered,
  inputOf,
  openDreamFixture,
  TENANT,
  type DreamFixture,
} from '#test/unit/activities/dreams/dream-fixture.ts';

/** More than any of the activities takes. */
const STEPS_MAX = 100;
const DREAM = 'dream-1';
const ROUND = { dream: 'nightly', at: NOW };
/** What the fixture makes. */
const MADE_ID = /00000000-0000-7000-8000-\d{12}/gu;

interface Scene {
  readonly input: DreamInput;
  readonly cut: DreamCut;
}

/** One line stays, one goes, one is new. */
function answer({ memory, daily }: DreamQuestion): string {
  const [kept] = memory;
  const lines = [answered(kept?.text ?? '', kept?.id ?? ''), answered(TEA, daily[0]?.id ?? '')];
  return dreamAnswerText({ lines, diary: ['Tea was added.'], isWhole: true });
}

/** An answer that waits to be made a proposal of, with an older proposal that waits too. */
async function openScene(approval: 'Automatic' | 'Required'): Promise<DreamFixture & Scene> {
  const fixture = await openDreamFixture({ answers: answer });
  const { store } = fixture.opened;
  const policy = dreamPolicy({ approval, removedLinesPercentMax: 100 });
  await fixture.declare({ dreams: [policy] });
  await store.documents.put(coreOf(TENANT, 1, { lines: [lineOf(1), lineOf(2)] }));
  await fixture.append([TEA]);
  const schedule = roundBegun({ ...scheduleOf(TENANT), nextAt: NOW }, null);
  await store.dreamSchedules.put({ ...schedule, version: 1 });
  const input = { ...inputOf(DREAM), round: ROUND };
  const reading = await fixture.activities().gatherDream(input);
  if (reading.kind !== 'Ready') throw new Error('There is nothing to dream of.');
  await fixture.activities().distilDream({ ...input, cut: reading.cut });
  return Object.assign(fixture, { input, cut: reading.cut });
}

/** Runs that apply at once what the tick asks them to. */
async function openApplying(): Promise<DreamFixture> {
  const runs: DreamRuns = {
    start: () => Promise.resolve('Started'),
    apply: async (input) => {
      await fixture.activities().applyProposal(input);
      return 'Started';
    },
  };
  const fixture: DreamFixture = await openDreamFixture({ runs });
  await fixture.declare();
  return fixture;
}

type Act = (fixture: DreamFixture & Scene) => Promise<unknown>;

/** What each activity does, and what must be true before it. */
const ACTS: Readonly<
  Record<string, { approval: 'Automatic' | 'Required'; before: Act; act: Act }>
> = {
  'a proposal that is applied automatically': {
    approval: 'Automatic',
    before: async () => undefined,
    act: propose,
  },
  'a proposal that waits': { approval: 'Required', before: async () => undefined, act: propose },
  'the application of an approved proposal': {
    approval: 'Required',
    before: async (fixture) => {
      await propose(fixture);
      await approve(fixture);
    },
    act: (fixture) => fixture.activities().applyProposal({ tenant: TENANT, proposalId: DREAM }),
  },
  'a proposal for a file that another writer changed': {
    approval: 'Automatic',
    before: async ({ opened }) => {
      await opened.store.documents.put(coreOf(TENANT, 2, { proposalId: null, author: 'caller' }));
    },
    act: propose,
  },
  'the end of a dream': {
    approval: 'Required',
    before: propose,
    act: ({ activities, input }) => activities().endDream({ ...input, outcome: 'Waiting' }),
  },
};

function propose({ activities, input, cut }: DreamFixture & Scene): Promise<unknown> {
  return activities().proposeDream({ ...input, cut, model: 'stub' });
}

async function approve({ opened }: DreamFixture): Promise<void> {
  const { proposals } = opened.store;
  const proposal = await proposals.get(TENANT, DREAM);
  if (proposal === null) throw new Error('There is no proposal.');
  const decision = { at: NOW, principal: 'test', reason: '' };
  await proposals.put({ ...proposal, state: 'Approved', decision, version: proposal.version + 1 });
}

async function stateAfter(name: string, crashAt: number | null): Promise<[unknown, boolean]> {
  const { approval, before, act } = ACTS[name] ?? {
    approval: 'Automatic',
    before: propose,
    act: propose,
  };
  await using fixture = await openScene(approval);
  await before(fixture);
  if (crashAt !== null) {
    fixture.opened.crashAt(crashAt);
    await act(fixture).catch(() => undefined);
  }
  const hasCrashed = fixture.opened.hasCrashed();
  await fixture.opened.reopen();
  await act(fixture);
  return [named(await fixture.opened.dump()), hasCrashed];
}

/** With a name for each id in the order of places: another try makes other ids. */
function named(dump: unknown): unknown {
  const names = new Map<string, string>();
  const text = JSON.stringify(dump).replaceAll(MADE_ID, (id) => {
    names.set(id, names.get(id) ?? `id-${String(names.size)}`);
    return names.get(id) ?? id;
  });
  return JSON.parse(text);
}

describe('a crash at any write', () => {
  test.each(Object.keys(ACTS))('does not change the outcome of %s', async (name) => {
    const [whole] = await stateAfter(name, null);
    let deaths = 0;
    for (let step = 0; step < STEPS_MAX; step += 1) {
      const [left, hasCrashed] = await stateAfter(name, step);
      expect(left, `death at step ${String(step)}`).toEqual(whole);
      if (!hasCrashed) break;
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(2);
    expect(deaths).toBeLessThan(STEPS_MAX);
  });

  test('is made up for by the next tick, which applies what was proposed', async () => {
    let deaths = 0;
    for (let step = 0; step < STEPS_MAX; step += 1) {
      await using fixture = await openApplying();
      await fixture.append([TEA]);
      const input = inputOf(DREAM);
      const reading = await fixture.activities().gatherDream(input);
      if (reading.kind !== 'Ready') throw new Error('There is nothing to dream of.');
      const { cut } = reading;
      await fixture.activities().distilDream({ ...input, cut });
      fixture.opened.crashAt(step);
      await fixture
        .activities()
        .proposeDream({ ...input, cut, model: cut.model })
        .catch(() => undefined);
      const hasCrashed = fixture.opened.hasCrashed();
      await fixture.opened.reopen();
      const written = await fixture.opened.store.proposals.get(TENANT, DREAM);
      fixture.advance(MINUTE_MS + 1);
      await fixture.activities().startDueDreams();
      if (written !== null) {
        deaths += hasCrashed ? 1 : 0;
        expect(await fixture.memory(), `death at step ${String(step)}`).toEqual([TEA]);
        const proposal = await fixture.opened.store.proposals.get(TENANT, DREAM);
        expect(proposal?.state).toBe('Applied');
        expect(await fixture.subject()).toMatchObject({ hasNew: false });
      }
      if (!hasCrashed) break;
    }
    expect(deaths).toBeGreaterThan(2);
    expect(deaths).toBeLessThan(STEPS_MAX);
  });

  test('DREAM-03: an applied proposal updates MEMORY.md, diary, marks, subject, and proposal', async () => {
    await using fixture = await openScene('Required');
    await propose(fixture);
    await approve(fixture);
    const applied = await fixture.activities().applyProposal({ tenant: TENANT, proposalId: DREAM });
    expect(applied).toEqual({ state: 'Applied' });
    expect(await fixture.memory()).toEqual([lineOf(1).text, TEA]);
    expect(await fixture.blocks('memory/dreams/2026-11-01.md')).toHaveLength(1);
    const [block] = await fixture.blocks('memory/2026-11-01.md');
    expect(block?.dreamedAt).not.toBeNull();
    const { proposals } = fixture.opened.store;
    expect(await proposals.get(TENANT, DREAM)).toMatchObject({ state: 'Applied' });
    expect(await fixture.subject()).toMatchObject({ last: { outcome: 'Dreamed', dreamId: DREAM } });
  });

  test('a proposal that is not approved is not applied', async () => {
    await using fixture = await openScene('Required');
    await propose(fixture);
    const application = { tenant: TENANT, proposalId: DREAM };
    expect(await fixture.activities().applyProposal(application)).toEqual({ state: 'NotApproved' });
    expect(await fixture.memory()).toEqual([lineOf(1).text, lineOf(2).text]);
    const none = { tenant: TENANT, proposalId: 'none' };
    expect(await fixture.activities().applyProposal(none)).toEqual({ state: 'Gone' });
  });
});

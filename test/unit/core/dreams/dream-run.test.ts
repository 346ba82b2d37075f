/** The steps of one dream, in a workflow or inline. */
import { describe, expect, test } from 'vitest';
import type { DreamActivities, DreamCut, DreamInput } from '#core/dreams/dream-contract.ts';
import { runDream, type DreamStatus } from '#core/dreams/dream-run.ts';
import { VarveError } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';
import { NOW } from '#test/conformance/samples.ts';

const INPUT: DreamInput = {
  tenant: 'acme',
  subjectId: 'subject-1',
  dreamId: 'dream-1',
  round: null,
  lookbackDays: null,
};
const CUT: DreamCut = {
  memoryVersion: 0,
  window: [{ path: 'memory/2026-11-01.md', blocks: 2 }],
  earlier: [],
  subjectVersion: 1,
  gatheredAt: NOW,
  oldest: { path: 'memory/2026-11-01.md', version: 1 },
  model: 'm',
};
const DETAILS = {
  measure: 'tokens',
  limit: 1,
  spent: 0,
  reserved: 0,
  requested: 2,
  periodEndsAt: NOW,
} as const;

type Steps = Omit<DreamActivities, 'startDueDreams' | 'applyProposal'>;

const USUAL: Steps = {
  gatherDream: async () => ({ kind: 'Ready', blocks: 2, lines: 1, sourceTokens: 30, cut: CUT }),
  distilDream: async () => ({
    kind: 'Answered',
    model: 'm',
    inputTokens: 30,
    outputTokens: 5,
    called: true,
  }),
  proposeDream: async () => ({ outcome: 'Dreamed', added: 2, removed: 1, archived: 0, dropped: 0 }),
  endDream: async () => undefined,
};

function failing(code: ErrorCode): () => Promise<never> {
  return () => Promise.reject(new VarveError(code, 'It failed.'));
}

async function run(differing: Partial<Steps>) {
  const calls: string[] = [];
  const inputs: unknown[] = [];
  const ended: string[] = [];
  const shown: DreamStatus[] = [];
  const steps = { ...USUAL, ...differing };
  const noted = Object.fromEntries(
    Object.entries(steps).map(([name, step]) => [
      name,
      async (input: never) => {
        calls.push(name);
        inputs.push(input);
        return (step as (input: never) => Promise<unknown>)(input);
      },
    ]),
  ) as unknown as Steps;
  const activities: Steps = {
    ...noted,
    endDream: async (input) => {
      ended.push(input.outcome);
      await noted.endDream(input);
    },
  };
  const codeOf = (failure: unknown) =>
    failure instanceof VarveError ? failure.code : 'PROVIDER_ERROR';
  const onChange = (status: DreamStatus) => void shown.push(status);
  const result = runDream(activities, INPUT, { codeOf, onChange });
  return { result: await result.catch((error: unknown) => error), calls, inputs, ended, shown };
}

describe('the steps of a dream', () => {
  test('gather, distill, propose and record the end, and report each phase', async () => {
    const { result, calls, ended, shown } = await run({});
    expect(result).toEqual({
      outcome: 'Dreamed',
      added: 2,
      removed: 1,
      inputTokens: 30,
      outputTokens: 5,
    });
    expect(calls).toEqual(['gatherDream', 'distilDream', 'proposeDream', 'endDream']);
    expect(ended).toEqual(['Dreamed']);
    const phases = [...new Set(shown.map(({ phase }) => phase))];
    expect(phases).toEqual(['Gathering', 'Distilling', 'Proposing', 'Ended']);
    expect(shown.at(-1)).toMatchObject({ blocks: 2, sourceTokens: 30, outcome: 'Dreamed' });
  });

  test('pass on what was gathered, which model answered and how it ended', async () => {
    const { inputs } = await run({});
    const read = { ...INPUT, cut: CUT };
    const end = { ...INPUT, oldest: CUT.oldest, outcome: 'Dreamed' };
    expect(inputs).toEqual([INPUT, read, { ...read, model: 'm' }, end]);
  });

  test('report that the budget is exhausted', async () => {
    const distilDream: Steps['distilDream'] = async () => ({ kind: 'Exhausted', details: DETAILS });
    const { shown } = await run({ distilDream });
    const states = shown.map(({ phase, budget }) => [phase, budget === 'Exhausted']);
    expect(states).toEqual([
      ['Gathering', false],
      ['Distilling', false],
      ['Distilling', true],
      ['Ended', true],
    ]);
  });

  test.each<[string, Partial<Steps>, readonly string[]]>([
    [
      'NothingNew',
      { gatherDream: async () => ({ kind: 'Skip', outcome: 'NothingNew' }) },
      ['gatherDream', 'endDream'],
    ],
    [
      'SameContent',
      { gatherDream: async () => ({ kind: 'Skip', outcome: 'SameContent' }) },
      ['gatherDream', 'endDream'],
    ],
    [
      'BudgetExhausted',
      { distilDream: async () => ({ kind: 'Exhausted', details: DETAILS }) },
      ['gatherDream', 'distilDream', 'endDream'],
    ],
    ['Failed', { gatherDream: failing('PROVIDER_REJECTED') }, ['gatherDream', 'endDream']],
    [
      'Failed',
      { distilDream: failing('PROVIDER_ERROR') },
      ['gatherDream', 'distilDream', 'endDream'],
    ],
    [
      'Failed',
      { proposeDream: failing('MODEL_OUTPUT_INVALID') },
      ['gatherDream', 'distilDream', 'proposeDream', 'endDream'],
    ],
  ])('end early as %s and record it', async (outcome, differing, expected) => {
    const { result, calls, ended } = await run(differing);
    expect(result).toMatchObject({ outcome });
    expect(calls).toEqual(expected);
    expect(ended).toEqual([outcome]);
  });

  test.each<[string, Partial<Steps>, DreamCut['oldest'] | undefined]>([
    ['before a call', { gatherDream: failing('PROVIDER_ERROR') }, undefined],
    ['in a call', { distilDream: failing('TIMEOUT') }, CUT.oldest],
    ['after a call', { proposeDream: failing('MODEL_OUTPUT_INVALID') }, CUT.oldest],
  ])(
    'that fail %s report whether the call may have been paid for',
    async (_, differing, expected) => {
      const told: unknown[] = [];
      await run({ ...differing, endDream: async ({ oldest }) => void told.push(oldest) });
      expect(told).toEqual([expected]);
    },
  );

  test.each<[string, Partial<Steps>]>([
    ['gathering', { gatherDream: async () => ({ kind: 'Gone' }) }],
    ['the call', { distilDream: async () => ({ kind: 'Gone' }) }],
  ])('record nothing if the tenant was released before %s', async (_, differing) => {
    const { result, ended } = await run(differing);
    expect(result).toMatchObject({ outcome: 'Gone' });
    expect(ended).toEqual([]);
  });

  test('a cancelled dream records its end and stays cancelled', async () => {
    const { result, ended } = await run({ distilDream: failing('CANCELLED') });
    expect(result).toMatchObject({ code: 'CANCELLED' });
    expect(ended).toEqual(['Failed']);
  });

  test('a dream whose end cannot be recorded does not look ended', async () => {
    const { result } = await run({ endDream: failing('PROVIDER_ERROR') });
    expect(result).toMatchObject({ code: 'PROVIDER_ERROR' });
  });
});

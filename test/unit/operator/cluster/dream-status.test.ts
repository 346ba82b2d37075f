/** The status of a DeepDream: a table of situations, and the texts about its last time. */
import { describe, expect, test } from 'vitest';
import { DreamOutcome } from '#core/records/dream-outcome.ts';
import { DeepDream } from '#crds/deep-dream.ts';
import { NO_LIMITS } from '#crds/limit-values.ts';
import { readObject } from '#crds/read-object.ts';
import { DeepDreamStatus } from '#crds/status.ts';
import { compileDream } from '#operator/tenant/compile-policy.ts';
import { type DreamView, deepDreamStatus, roundText } from '#operator/cluster/reconcile-dream.ts';
import { PAUSED_ANNOTATION } from '#operator/tenant/metadata-and-conditions.ts';
import type { ShownRound, ShownSchedule } from '#operator/cluster/stored-tenant.ts';
import { NOW } from '../policy-store.ts';
import { DELETING, dreamObject, tenantObject, type Written } from './resources.ts';

const NEXT = Date.UTC(2026, 10, 22, 3, 30);
const LAST = Date.UTC(2026, 10, 21, 3, 30);
const PAUSED: Written = { annotations: { [PAUSED_ANNOTATION]: 'true' } };

function round(differing: Partial<ShownRound> = {}): ShownRound {
  return { at: LAST, started: 3, outcomes: { Dreamed: 3 }, endedAt: LAST + 60_000, ...differing };
}

function schedule(differing: Partial<ShownSchedule> = {}): ShownSchedule {
  return { name: 'nightly', nextAt: NEXT, last: null, ...differing };
}

function seen(spec: object = {}, written: Written = {}): DreamView['dream'] {
  const object = dreamObject(spec, written);
  return { object, reading: readObject(object, DeepDream) };
}

/** One that is in force and was not dreamt yet, but for what differs. */
function view(differing: Partial<DreamView> = {}): DreamView {
  const { reading } = seen();
  if (reading.kind === 'Invalid') throw new Error(reading.report);
  return {
    dream: seen(),
    tenantName: 'acme',
    tenant: tenantObject(),
    tenantId: 'acme-corp',
    tenantReady: null,
    isHeard: true,
    applied: compileDream(reading.resource),
    schedule: schedule(),
    isWaiting: false,
    limits: NO_LIMITS,
    before: null,
    ...differing,
  };
}

const lastly = (differing: Partial<ShownRound>): Partial<DreamView> => ({
  schedule: schedule({ last: round(differing) }),
});

function statusOf(differing: Partial<DreamView>) {
  return deepDreamStatus(view(differing), { generation: 7, now: NOW, before: [] });
}

function conditionOf(differing: Partial<DreamView>, type: 'Ready' | 'Accepted') {
  return statusOf(differing).conditions.find((condition) => condition.type === type);
}

const FAILED = conditionOf(lastly({ outcomes: { Failed: 1 } }), 'Ready') ?? null;
const UNREADY = { ...FAILED, status: 'False', reason: 'BudgetExhausted' } as DreamView['before'];
const INVALID = { dream: seen({ cron: 'soon' }) };

const SITUATIONS: readonly (readonly [
  it: string,
  view: Partial<DreamView>,
  expected: readonly [type: 'Ready' | 'Accepted', verdict: string, text: string],
])[] = [
  ['a dream in force is scheduled', {}, ['Ready', 'True Scheduled', 'status.nextDreamTime']],
  ['a valid dream is accepted', {}, ['Accepted', 'True Accepted', 'valid']],
  [
    'an invalid dream runs as last applied and names the command to fix it',
    INVALID,
    ['Ready', 'False InvalidSpec', 'as it was last applied. Fix it with: kubectl edit deepdream'],
  ],
  [
    'a dream that was never valid does nothing',
    { ...INVALID, applied: null },
    ['Accepted', 'False InvalidSpec', 'None of it is applied.'],
  ],
  [
    'a dream without a tenant says so',
    { tenant: null },
    ['Accepted', 'False TenantNotFound', 'acme'],
  ],
  [
    'a dream of a tenant being deleted says the same',
    { tenant: tenantObject({}, DELETING) },
    ['Ready', 'False TenantNotFound', 'kubectl get memorytenants -n team-a'],
  ],
  [
    'an extra dream says so',
    { isHeard: false },
    ['Accepted', 'False TooManyDreams', 'at most 100'],
  ],
  [
    'a paused dream says how to resume it and how to end it',
    { dream: seen({}, PAUSED) },
    ['Ready', 'False Paused', `${PAUSED_ANNOTATION}-; or, to stop dreaming: kubectl delete`],
  ],
  [
    'a dream paused before it was applied does nothing',
    { dream: seen({}, PAUSED), applied: null, schedule: null },
    ['Ready', 'False Paused', 'None of it is applied.'],
  ],
  [
    'a dream that its tenant does not have yet says where to look',
    { applied: null, schedule: null },
    ['Ready', 'False TenantNotReady', 'kubectl describe memorytenant acme -n team-a'],
  ],
  [
    'a changed dream waits for its tenant and names the reason',
    { dream: seen({ lookbackDays: 9 }), tenantReady: { ...FAILED, reason: 'Paused' } as never },
    ['Ready', 'False TenantNotReady', 'yet (Paused)'],
  ],
  [
    'a dream waits for a tenant that is ready without a reason',
    {
      applied: null,
      schedule: null,
      tenantReady: { ...FAILED, status: 'True', reason: 'InForce' } as never,
    },
    ['Ready', 'False TenantNotReady', 'not applied it yet: kubectl'],
  ],
  [
    'a dream without a record waits too',
    { schedule: null },
    ['Ready', 'False TenantNotReady', 'not applied it yet'],
  ],
  [
    'a dream on a date that no calendar has never runs',
    { schedule: schedule({ nextAt: null }) },
    ['Ready', 'False NeverComes', 'kubectl edit deepdream nightly'],
  ],
  ['a finished dream is scheduled again', lastly({}), ['Ready', 'True Scheduled', '']],
  [
    'failures of the last round say where to look',
    lastly({ outcomes: { Dreamed: 2, Failed: 1 } }),
    ['Ready', 'False LastDreamFailed', 'Tenant = "acme-corp" AND Phase = "Failed"'],
  ],
  [
    'an exhausted budget is named',
    lastly({ outcomes: { Dreamed: 2, BudgetExhausted: 1 } }),
    ['Ready', 'False BudgetExhausted', 'varve budget show --tenant acme-corp'],
  ],
  [
    'dead-lettered content is reported',
    lastly({ outcomes: { Dreamed: 2, DeadLettered: 1 } }),
    ['Ready', 'False DeadLettered', 'Phase = "DeadLettered"'],
  ],
  [
    'a running round does not clear an earlier failure',
    { ...lastly({ outcomes: {}, endedAt: null }), before: FAILED },
    ['Ready', 'False LastDreamFailed', ''],
  ],
  [
    'a running round does not clear an exhausted budget',
    { ...lastly({ outcomes: {}, endedAt: null }), before: UNREADY },
    ['Ready', 'False BudgetExhausted', ''],
  ],
  [
    'a round that ended well clears an earlier failure',
    { ...lastly({}), before: FAILED },
    ['Ready', 'True Scheduled', ''],
  ],
  [
    'waiting proposals name the command that lists them',
    { ...lastly({ outcomes: { Waiting: 1 } }), isWaiting: true },
    ['Ready', 'True Scheduled', 'varve dream list --tenant acme-corp --waiting'],
  ],
];

describe('the status of a dream', () => {
  test.each(SITUATIONS)('%s', (...[, differing, [type, verdict, text]]) => {
    const { status, reason, message, observedGeneration } = conditionOf(differing, type) ?? {};
    expect(`${status ?? ''} ${reason ?? ''}`).toBe(verdict);
    expect(message).toContain(text);
    expect(observedGeneration).toBe(7);
    expect(DeepDreamStatus.safeParse(statusOf(differing)).error).toBeUndefined();
  });

  test('a decided proposal is no longer mentioned', () => {
    const said = conditionOf(lastly({ outcomes: { Waiting: 1 } }), 'Ready');
    expect(said?.message).not.toContain('--waiting');
    const ofAnother = conditionOf({ ...lastly({}), isWaiting: true }, 'Ready');
    expect(ofAnother?.message).not.toContain('--waiting');
  });

  test('the next time, the last time and the last outcome are shown', () => {
    expect(statusOf(lastly({ outcomes: { Dreamed: 12, Waiting: 1 } }))).toMatchObject({
      observedGeneration: 7,
      nextDreamTime: '2026-11-22T03:30:00Z',
      lastDreamTime: '2026-11-21T03:31:00Z',
      lastOutcome: '1 waiting, 12 dreamed',
    });
    const { conditions, ...rest } = statusOf({ schedule: null });
    expect(rest).toEqual({ observedGeneration: 7 });
    expect(conditions).toHaveLength(2);
  });

  test.each<[string, Partial<ShownRound>, string | null]>([
    ['a failure', { outcomes: { Failed: 1 }, failureCode: 'TIMEOUT' }, 'TIMEOUT'],
    ['a failure without a code', { outcomes: { Failed: 1 } }, null],
    ['an exhausted budget', { outcomes: { Dreamed: 1, BudgetExhausted: 1 } }, 'BUDGET_EXHAUSTED'],
    [
      'a failure and an exhausted budget',
      { outcomes: { Failed: 1, BudgetExhausted: 1 }, failureCode: 'TIMEOUT' },
      'TIMEOUT',
    ],
    ['dead-lettered content', { outcomes: { DeadLettered: 1 } }, null],
    ['a good end', {}, null],
  ])('the last error of %s', (_, last, code) => {
    const { lastError } = statusOf(lastly(last));
    expect(lastError?.code ?? null).toBe(code);
    if (code !== null) expect(lastError?.message).toMatch(/next run/u);
  });

  test('the last error stays during a round and goes after a good one', () => {
    const lastError = { code: 'TIMEOUT', message: 'It took too long.' };
    const dream = seen({}, { status: { lastError } });
    const open = { ...lastly({ outcomes: {}, endedAt: null }), dream };
    expect(statusOf(open).lastError).toEqual(lastError);
    expect(statusOf({ ...lastly({}), dream })).not.toHaveProperty('lastError');
    const foreign = seen({}, { status: { lastError: 'soon' } });
    expect(statusOf({ ...open, dream: foreign })).not.toHaveProperty('lastError');
  });

  test('the time of the previous round stays while a round is running', () => {
    const lastDreamTime = '2026-11-20T03:31:00Z';
    const dream = seen({}, { status: { lastDreamTime } });
    const at = lastly({ outcomes: { Dreamed: 1 }, endedAt: null });
    expect(statusOf({ ...at, dream })).toMatchObject({
      lastDreamTime,
      lastOutcome: '1 dreamed, 2 at work',
    });
    expect(statusOf(at)).not.toHaveProperty('lastDreamTime');
  });

  test.each<[Partial<ShownRound>, string]>([
    [{ started: 0, outcomes: {} }, 'nothing new'],
    [{ started: 0, outcomes: {}, endedAt: null }, 'begun'],
    [{ started: 2, outcomes: { NothingNew: 1, SameContent: 1 } }, '2 nothing new'],
    [{ started: 2, outcomes: { Unchanged: 2 } }, '2 unchanged'],
    [{ started: 5, outcomes: { LowGrounding: 2, Failed: 3 } }, '3 failed, 2 not grounded'],
    [{ started: 1, outcomes: { BudgetExhausted: 1 } }, '1 over budget'],
    [{ started: 1, outcomes: { Dreamed: 2 }, endedAt: null }, '2 dreamed'],
    // A run whose end was never told is not at work once its round is closed.
    [{ started: 9, outcomes: { Dreamed: 1 } }, '1 dreamed'],
  ])('the outcomes %j read as %s', (differing, words) => {
    expect(roundText(round(differing))).toBe(words);
  });

  test.each(DreamOutcome.options)('the outcome %s is put in words', (outcome) => {
    expect(roundText(round({ started: 1, outcomes: { [outcome]: 1 } }))).toMatch(/^1 [a-z ]+$/u);
  });

  test('the longest outcome text fits its field', () => {
    const outcomes = {
      Failed: 1e5,
      BudgetExhausted: 1e5,
      Waiting: 1e5,
      LowGrounding: 1e5,
      Dreamed: 1e5,
      Unchanged: 1e5,
      NothingNew: 1e5,
    };
    const status = statusOf(lastly({ started: 1e6, outcomes, endedAt: null }));
    expect(DeepDreamStatus.safeParse(status).error).toBeUndefined();
  });
});

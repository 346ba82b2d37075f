/** What one record alone decides: what is pending and since when, and who may use what. */
import { describe, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import { dueAtOf, ROUND_MS_MAX, type DreamRound } from '#core/records/dream-schedule.ts';
import { isModelClass } from '#core/records/model-class.ts';
import { isAllowedIn, ModelProvider } from '#core/records/model-provider.ts';
import { isReleased, isSameOwner } from '#core/records/policy.ts';
import { pendingAtOf, type Proposal } from '#core/records/proposal.ts';
import { Turn } from '#core/records/turn.ts';
import { failedAnswer, failureAgain } from '#core/records/write-answer.ts';
import { NOW, ownerOf, turnOf } from '#test/conformance/samples.ts';

const ROUND: DreamRound = {
  at: 500,
  started: 2,
  outcomes: {},
  counted: [],
  startedAt: 600,
  endedAt: null,
};
const CLOSES = 600 + ROUND_MS_MAX;

describe('the due time of a dream schedule', () => {
  test.each([
    ['is never if cron has no next time', { nextAt: null }, null],
    ['is its next round', { nextAt: 900 }, 900],
    [
      'is the start of a round that is still starting',
      { startedAfter: 'user/ann', last: ROUND },
      500,
    ],
    [
      'is 0 for a first round that is starting and not recorded yet',
      { startedAfter: 'user/ann' },
      0,
    ],
    ['is the close of the last round', { nextAt: null, last: ROUND }, CLOSES],
    ['is the close if it comes before the next round', { nextAt: CLOSES + 1, last: ROUND }, CLOSES],
    [
      'is the next round if it comes before the close',
      { nextAt: CLOSES - 1, last: ROUND },
      CLOSES - 1,
    ],
    [
      'ignores the close of a round that has ended',
      { nextAt: 900, last: { ...ROUND, endedAt: 700 } },
      900,
    ],
    [
      'ignores the close of a round that is starting',
      { nextAt: 900, last: { ...ROUND, startedAt: null } },
      900,
    ],
  ])('%s', (_, differing, expected) => {
    const schedule = { tenant: 'acme', name: 'nightly', cronHash: 'h', policyGeneration: 1 };
    const given = { nextAt: 1, startedAfter: null, last: null, version: 1, ...differing };
    expect(dueAtOf({ ...schedule, ...given })).toBe(expected);
  });
});

describe('the time since which a proposal is pending', () => {
  const decision = { at: 20, principal: 'ann', reason: '' };
  test.each<[string, Pick<Proposal, 'state' | 'askedAt' | 'decision'>, number | null]>([
    [
      'is when it was made, if no approval is needed',
      { state: 'Approved', askedAt: null, decision: null },
      10,
    ],
    ['is when it was approved', { state: 'Approved', askedAt: null, decision }, 20],
    [
      'is when its application was last requested',
      { state: 'Approved', askedAt: 30, decision },
      30,
    ],
    [
      'is never if it waits for a decision',
      { state: 'Waiting', askedAt: null, decision: null },
      null,
    ],
    ['is never once it is applied', { state: 'Applied', askedAt: 30, decision }, null],
    ['is never if it was rejected', { state: 'Rejected', askedAt: null, decision }, null],
  ])('%s', (_, given, expected) => {
    expect(pendingAtOf({ ...given, at: 10 } as Proposal)).toBe(expected);
  });
});

describe('a provider of models', () => {
  test.each([
    [['shop'], 'shop', true],
    [['shop', 'lab'], 'lab', true],
    [['*'], 'anything', true],
    [['shop'], 'shop-2', false],
    [[], 'shop', false],
  ])('that allows %j serves the namespace %s: %s', (allowedNamespaces, namespace, expected) => {
    expect(isAllowedIn({ allowedNamespaces }, namespace)).toBe(expected);
  });

  const openai = {
    baseUrl: 'https://models.example.com/v1',
    secretRef: null,
    models: [
      {
        name: 'small',
        classes: ['economy'],
        inputMicroDollarsPerMillion: 1,
        outputMicroDollarsPerMillion: 2,
        contextTokens: 8_000,
        outputTokensMax: 1_000,
        thinkingTokens: 0,
      },
    ],
    requestsPerMinute: null,
  };
  test.each([
    ['valid with an endpoint', { openai }, true],
    ['valid with the extractive summarizer', { extractive: {} }, true],
    ['valid with both', { openai, extractive: {} }, false],
    ['valid with neither', {}, false],
  ])('is %s: %s', (_, kind, expected) => {
    expect(ModelProvider.safeParse({ ...kind, allowedNamespaces: ['*'] }).success).toBe(expected);
  });

  test('serves the known model classes', () => {
    const known = ['economy', 'standard', 'luxury', null].filter(isModelClass);
    expect(known).toEqual(['economy', 'standard']);
  });
});

describe('the owner of a policy', () => {
  const owner = ownerOf('shop');
  test('is the same only if all of its fields are equal', () => {
    expect(isSameOwner(owner, { ...owner })).toBe(true);
    for (const field of ['cluster', 'namespace', 'name', 'uid'] as const) {
      expect([field, isSameOwner(owner, { ...owner, [field]: 'another' })]).toEqual([field, false]);
    }
  });

  test.each([
    [null, false],
    [{ releasedAt: null }, false],
    [{ releasedAt: NOW }, true],
  ])('has released the tenant according to %j: %s', (record, expected) => {
    expect(isReleased(record)).toBe(expected);
  });
});

test('a stored failure can be restored as the same error', () => {
  const first = new VarveError('CONFLICT', 'Someone was first.', { details: { version: 3 } });
  const again = failureAgain(failedAnswer(first));
  expect(again).toBeInstanceOf(VarveError);
  expect(failedAnswer(again)).toEqual({
    code: 'CONFLICT',
    message: 'Someone was first.',
    details: { version: 3 },
  });
});

describe('a stored turn', () => {
  const kept = { ...turnOf('acme', 1), sequence: 1 };
  test('is read as it was written', () => {
    const whole: Turn = {
      ...kept,
      utcOffset: -120,
      toolCalls: [{ id: 'call-1', name: 'find', arguments: { where: 'attic' } }],
      review: { state: 'Approved', contentHash: kept.contentHash },
      vectors: { generation: 'lexical', passages: ['AAE='] },
    };
    expect(Turn.parse(whole)).toEqual(whole);
  });

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['a sequence of 0', { sequence: 0 }],
    ['an unknown role', { role: 'narrator' }],
    ['a negative time', { at: -1 }],
    ['a UTC offset of a day', { utcOffset: 24 * 60 }],
    ['a UTC offset of minus a day', { utcOffset: -24 * 60 }],
    ['a negative token count', { tokenCount: -1 }],
    ['an unknown review state', { review: { state: 'Later', contentHash: 'h' } }],
    ['an unknown field', { mood: 'fine' }],
  ])('is refused with %s', (_, differing) => {
    expect(Turn.safeParse({ ...kept, ...differing }).success).toBe(false);
  });
});

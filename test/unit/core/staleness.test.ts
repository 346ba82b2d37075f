import { describe, expect, test } from 'vitest';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Summary } from '#core/records/summary.ts';
import { freshnessOf, type StaleReason } from '#core/refresh/staleness.ts';
import {
  digest,
  HOUR_MS,
  MINUTE_MS,
  NOW,
  summaryOf,
  userScope,
} from '#test/conformance/samples.ts';
import { RECIPE, settledScope, SOURCES } from './scope-records.ts';

interface Difference {
  readonly scope?: Partial<ScopeRecord>;
  readonly summary?: Partial<Summary> | null;
  readonly recipeHash?: string;
  readonly now?: number;
}

function judge({ scope, summary, recipeHash = RECIPE, now = NOW + HOUR_MS }: Difference) {
  return freshnessOf({
    scope: settledScope(scope),
    summary: summary === null ? null : summaryOf(userScope('acme'), ['m-1'], summary),
    recipeHash,
    policy: { maxAgeMs: 24 * HOUR_MS },
    now,
  });
}

const CHANGED = { sourceHash: digest('other sources'), firstStaleAt: NOW + MINUTE_MS };
const DELETED = { id: 'm-1', reason: 'SourceDeleted' } as const;
const ERASED = { id: 'm-1', reason: 'Erased' } as const;
const REPLACED = { id: 'm-1', reason: 'SourceReplaced' } as const;
const URGENT = { urgentAt: NOW + 2 * MINUTE_MS };
const EXPIRED = { nextExpiryAt: NOW + 3 * MINUTE_MS };
const GIVEN_UP = { code: 'MODEL_OUTPUT_INVALID', reason: 'LowGrounding', at: NOW + MINUTE_MS };
const AGED = NOW + 24 * HOUR_MS;

/** From the reason that is told first to the one that is told last. */
const ROWS: readonly (readonly [string, StaleReason, Difference, since: number])[] = [
  ['SUM-07', 'NeverGenerated', { summary: null, scope: CHANGED }, CHANGED.firstStaleAt],
  ['SUM-20', 'Erased', { scope: { droppedSources: [ERASED], ...URGENT } }, URGENT.urgentAt],
  ['SUM-20', 'SourceDeleted', { scope: { droppedSources: [DELETED], ...URGENT } }, URGENT.urgentAt],
  [
    'SUM-20',
    'SourceReplaced',
    { scope: { droppedSources: [REPLACED], ...URGENT } },
    URGENT.urgentAt,
  ],
  ['SUM-19', 'SourceExpired', { scope: EXPIRED }, EXPIRED.nextExpiryAt],
  ['SUM-11', 'LowGrounding', { scope: { deadLetter: GIVEN_UP } }, GIVEN_UP.at],
  ['SUM-11', 'SourceChanged', { scope: CHANGED }, CHANGED.firstStaleAt],
  ['SUM-12', 'MaxAge', { now: AGED + 1 }, AGED],
  ['SUM-11', 'RecipeChanged', { recipeHash: digest('other recipe') }, NOW + HOUR_MS],
];

describe('staleness', () => {
  test('SUM-11: a summary with the expected hash, recipe and age is fresh', () => {
    expect(judge({})).toEqual({ kind: 'Fresh', checkedAt: NOW });
    expect(judge({ now: AGED - 1 }).kind).toBe('Fresh');
    expect(judge({ scope: { nextExpiryAt: NOW + HOUR_MS + 1 } }).kind).toBe('Fresh');
  });

  test.each(ROWS)('%s: a summary is stale with reason %s', (_, reason, difference, since) => {
    expect(judge(difference)).toEqual({ kind: 'Stale', reason, since });
  });

  const pairs = ROWS.slice(1).flatMap((first, at) =>
    ROWS.slice(at + 2).map((second) => ({ first, second })),
  );
  test.each(pairs)('$first.1 takes precedence over $second.1', ({ first, second }) => {
    const [, reason, one] = first;
    const [, , other] = second;
    const scope = { ...other.scope, ...one.scope };
    expect(judge({ ...other, ...one, scope })).toMatchObject({ reason });
  });

  test('a future urgent mark is not the time since which a summary is stale', () => {
    const scope = { droppedSources: [DELETED], urgentAt: NOW + 2 * HOUR_MS, firstStaleAt: NOW + 7 };
    expect(judge({ scope })).toMatchObject({ reason: 'SourceDeleted', since: NOW + 7 });
  });

  test('a deleted source takes precedence over a replaced one', () => {
    const droppedSources = [REPLACED, { ...DELETED, id: 'm-2' }];
    expect(judge({ scope: { droppedSources } })).toMatchObject({ reason: 'SourceDeleted' });
  });

  test('a dead letter for another cause does not make a summary stale', () => {
    const deadLetter = { ...GIVEN_UP, code: 'TIMEOUT', reason: 'TIMEOUT' };
    expect(judge({ scope: { deadLetter } }).kind).toBe('Fresh');
  });

  test('SUM-12: a summary that is too old is stale even with an equal hash', () => {
    const summary = { sourceHash: SOURCES, generatedAt: NOW, checkedAt: AGED };
    expect(judge({ summary, now: AGED })).toMatchObject({ kind: 'Stale', reason: 'MaxAge' });
  });
});

import { describe, expect, test } from 'vitest';
import {
  citedIds,
  claimDecision,
  isSkippedByClaim,
  type ClaimDecision,
} from '#core/refresh/claim-decision.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Summary } from '#core/records/summary.ts';
import type { Freshness } from '#core/refresh/staleness.ts';
import { digest, NOW, SECOND_MS, summaryOf, userScope } from '#test/conformance/samples.ts';
import { RECIPE, settledScope } from './scope-records.ts';

interface Difference {
  readonly scope?: Partial<ScopeRecord>;
  readonly summary?: Partial<Summary> | null;
  readonly recipeHash?: string;
  readonly skipIfUnchanged?: boolean;
}

const INTERVAL = { dueAt: NOW, dueTrigger: 'Interval' } as const;

describe('a due scope', () => {
  test.each<[string, Difference, ClaimDecision]>([
    ['is unchanged if sources and recipe are equal', { scope: INTERVAL }, 'Unchanged'],
    [
      'is unchanged if its sources are equal again after changes',
      { scope: { ...INTERVAL, changes: 4 } },
      'Unchanged',
    ],
    [
      'is generated although equal, if unchanged scopes are not skipped',
      { scope: INTERVAL, skipIfUnchanged: false },
      'Generate',
    ],
    [
      'is unchanged before its interval ends, even if unchanged scopes are not skipped',
      { scope: { ...INTERVAL, dueAt: NOW + 1 }, skipIfUnchanged: false },
      'Unchanged',
    ],
    ['is generated if its sources changed', { scope: { sourceHash: digest('other') } }, 'Generate'],
    ['is generated if the recipe changed', { recipeHash: digest('other') }, 'Generate'],
    [
      'is generated if its summary is too old',
      { scope: { dueAt: NOW, dueTrigger: 'MaxAge' } },
      'Generate',
    ],
    [
      'is unchanged if its summary is not yet too old',
      { scope: { dueAt: NOW + 1, dueTrigger: 'MaxAge' } },
      'Unchanged',
    ],
    ['is generated if a source has ended', { scope: { nextExpiryAt: NOW } }, 'Generate'],
    ['is unchanged if a source ends later', { scope: { nextExpiryAt: NOW + 1 } }, 'Unchanged'],
    ['is generated if it has no summary yet', { summary: null }, 'Generate'],
    ['is empty if no source is left', { scope: { sourceCount: 0 } }, 'Empty'],
    [
      'is empty if no source is left, even if one has just ended',
      { scope: { sourceCount: 0, nextExpiryAt: NOW } },
      'Empty',
    ],
  ])('%s', (_, { scope, summary, recipeHash = RECIPE, skipIfUnchanged = true }, decision) => {
    const made = summary === null ? null : summaryOf(userScope('acme'), ['m-1'], summary);
    const rules = { recipeHash, skipIfUnchanged, now: NOW };
    expect(claimDecision(settledScope(scope), made, rules)).toBe(decision);
  });

  test('ENG-01: citedIds returns each id that a summary rests on once', () => {
    const summary = summaryOf(userScope('acme'), ['m-1', 'm-2', 'm-1']);
    expect([...citedIds(summary)]).toEqual(['m-1', 'm-2']);
    expect([...citedIds(null)]).toEqual([]);
  });
});

describe('a claim of all stale scopes', () => {
  const FRESH: Freshness = { kind: 'Fresh', checkedAt: NOW };
  const stale = (reason: 'RecipeChanged' | 'MaxAge' | 'NeverGenerated'): Freshness => ({
    ...{ kind: 'Stale', since: NOW },
    reason,
  });
  const fallback = { model: 'extractive' };
  const MADE_AT = NOW - 60 * SECOND_MS;

  test.each<[boolean, string, Partial<ScopeRecord>, Partial<Summary> | null, Freshness]>([
    [true, 'is fresh', {}, {}, FRESH],
    [false, 'has a new write', { changes: 1 }, {}, FRESH],
    [false, 'is due', { dueAt: NOW }, {}, FRESH],
    [true, 'is due later', { dueAt: NOW + 1 }, {}, FRESH],
    [false, 'has a source that has ended', { nextExpiryAt: NOW }, {}, FRESH],
    [true, 'has a source that ends later', { nextExpiryAt: NOW + 1 }, {}, FRESH],
    [false, 'is too old', {}, {}, stale('MaxAge')],
    [
      false,
      'has no summary yet',
      { generatedAt: null, checkedAt: null },
      null,
      stale('NeverGenerated'),
    ],
    [true, 'has nothing to summarize', { generatedAt: null }, null, stale('NeverGenerated')],
    [false, 'has a summary with another recipe', {}, {}, stale('RecipeChanged')],
    [true, 'has a new fallback text', {}, fallback, stale('RecipeChanged')],
    [
      true,
      'has had a fallback text for just under a minute',
      {},
      { ...fallback, generatedAt: MADE_AT + 1 },
      stale('RecipeChanged'),
    ],
    [
      false,
      'has had a fallback text for a minute',
      {},
      { ...fallback, generatedAt: MADE_AT },
      stale('RecipeChanged'),
    ],
    [false, 'has a fallback text that is too old', {}, fallback, stale('MaxAge')],
  ])('passes over (%s) a scope that %s', (passed, _, scope, summary, freshness) => {
    const made =
      summary === null ? null : summaryOf(userScope('acme'), ['m-1'], { model: 'm', ...summary });
    const rules = { freshness, extractiveFallback: 'extractive', now: NOW };
    expect(isSkippedByClaim(settledScope(scope), made, rules)).toBe(passed);
  });
});

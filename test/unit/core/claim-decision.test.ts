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

describe('what a due scope needs', () => {
  test.each<[string, Difference, ClaimDecision]>([
    ['equal sources and recipe', { scope: INTERVAL }, 'Unchanged'],
    ['equal again after changes', { scope: { ...INTERVAL, changes: 4 } }, 'Unchanged'],
    [
      'equal, but unchanged ones are not to be skipped',
      { scope: INTERVAL, skipIfUnchanged: false },
      'Generate',
    ],
    [
      'not to be skipped, but asked for before its interval',
      { scope: { ...INTERVAL, dueAt: NOW + 1 }, skipIfUnchanged: false },
      'Unchanged',
    ],
    ['other sources', { scope: { sourceHash: digest('other') } }, 'Generate'],
    ['another recipe', { recipeHash: digest('other') }, 'Generate'],
    ['too old', { scope: { dueAt: NOW, dueTrigger: 'MaxAge' } }, 'Generate'],
    ['not too old yet', { scope: { dueAt: NOW + 1, dueTrigger: 'MaxAge' } }, 'Unchanged'],
    ['a source has ended', { scope: { nextExpiryAt: NOW } }, 'Generate'],
    ['a source will end', { scope: { nextExpiryAt: NOW + 1 } }, 'Unchanged'],
    ['no summary yet', { summary: null }, 'Generate'],
    ['no source left', { scope: { sourceCount: 0 } }, 'Empty'],
    [
      'no source left, whatever has ended before',
      { scope: { sourceCount: 0, nextExpiryAt: NOW } },
      'Empty',
    ],
  ])('%s', (_, { scope, summary, recipeHash = RECIPE, skipIfUnchanged = true }, decision) => {
    const made = summary === null ? null : summaryOf(userScope('acme'), ['m-1'], summary);
    const rules = { recipeHash, skipIfUnchanged, now: NOW };
    expect(claimDecision(settledScope(scope), made, rules)).toBe(decision);
  });

  test('ENG-01: the ids that a summary rests on, each once', () => {
    const summary = summaryOf(userScope('acme'), ['m-1', 'm-2', 'm-1']);
    expect([...citedIds(summary)]).toEqual(['m-1', 'm-2']);
    expect([...citedIds(null)]).toEqual([]);
  });
});

describe('a claim of all that is stale', () => {
  const FRESH: Freshness = { kind: 'Fresh', checkedAt: NOW };
  const stale = (reason: 'RecipeChanged' | 'MaxAge' | 'NeverGenerated'): Freshness => ({
    ...{ kind: 'Stale', since: NOW },
    reason,
  });
  const fallback = { model: 'extractive' };
  const MADE_AT = NOW - 60 * SECOND_MS;

  test.each<[boolean, string, Partial<ScopeRecord>, Partial<Summary> | null, Freshness]>([
    [true, 'is fresh', {}, {}, FRESH],
    [false, 'was written to', { changes: 1 }, {}, FRESH],
    [false, 'is due', { dueAt: NOW }, {}, FRESH],
    [true, 'will be due', { dueAt: NOW + 1 }, {}, FRESH],
    [false, 'has a source that ended', { nextExpiryAt: NOW }, {}, FRESH],
    [true, 'has a source that will end', { nextExpiryAt: NOW + 1 }, {}, FRESH],
    [false, 'is too old', {}, {}, stale('MaxAge')],
    [
      false,
      'has no summary yet',
      { generatedAt: null, checkedAt: null },
      null,
      stale('NeverGenerated'),
    ],
    [true, 'has nothing to summarize', { generatedAt: null }, null, stale('NeverGenerated')],
    [false, 'has a summary of another recipe', {}, {}, stale('RecipeChanged')],
    [true, 'has a new text in place of a paid one', {}, fallback, stale('RecipeChanged')],
    [
      true,
      'has such a text of just under a minute',
      {},
      { ...fallback, generatedAt: MADE_AT + 1 },
      stale('RecipeChanged'),
    ],
    [
      false,
      'has had such a text for a minute',
      {},
      { ...fallback, generatedAt: MADE_AT },
      stale('RecipeChanged'),
    ],
    [false, 'has such a text, which is too old', {}, fallback, stale('MaxAge')],
  ])('passes by (%s) a scope that %s', (passed, _, scope, summary, freshness) => {
    const made =
      summary === null ? null : summaryOf(userScope('acme'), ['m-1'], { model: 'm', ...summary });
    const rules = { freshness, extractiveFallback: 'extractive', now: NOW };
    expect(isSkippedByClaim(settledScope(scope), made, rules)).toBe(passed);
  });
});

import { describe, expect, test } from 'vitest';
import { citedIds, claimDecision, type ClaimDecision } from '#core/refresh/claim-decision.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Summary } from '#core/records/summary.ts';
import { digest, NOW, summaryOf, userScope } from '#test/conformance/samples.ts';
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

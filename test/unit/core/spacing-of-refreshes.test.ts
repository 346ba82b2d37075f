/** The platform's minimum interval: no rule and no traffic makes a scope due sooner. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DuePolicy } from '#core/records/policy.ts';
import { dueOf, type Due, duePolicyOf } from '#core/refresh/when-to-refresh.ts';
import { recipeMarks } from '#core/refresh/recipe-backfill.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { applyChange, applyCommit } from '#core/refresh/scope-transitions.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import { MINUTE_MS, NOW } from '#test/conformance/samples.ts';
import { duePolicy, heldUntil, settledScope } from './scope-records.ts';

const LEAST_MS = 45 * MINUTE_MS;
const DROPPED = { id: 'a', reason: 'SourceDeleted' } as const;
const LATER = NOW + 10 * MINUTE_MS;
const spaced: DuePolicy = { ...duePolicy({ updateOnChanges: 1 }), leastIntervalMs: LEAST_MS };

describe('with a least interval of the platform', () => {
  test.each<[string, Partial<ScopeRecord>, Due]>([
    [
      'changes wait for the interval',
      { changes: 9, firstStaleAt: LATER },
      { at: NOW + LEAST_MS, trigger: 'Changes' },
    ],
    [
      'changes make a scope due at once after the interval',
      { changes: 9, firstStaleAt: LATER, checkedAt: LATER - LEAST_MS },
      { at: LATER, trigger: 'Changes' },
    ],
    [
      'a scope that was never checked does not wait',
      { changes: 1, firstStaleAt: LATER, checkedAt: null, generatedAt: null },
      { at: LATER, trigger: 'Changes' },
    ],
    [
      'a dropped source waits for the interval and outranks other triggers',
      { changes: 9, droppedSources: [DROPPED], urgentAt: LATER },
      { at: NOW + LEAST_MS, trigger: 'Urgent' },
    ],
    [
      'a due time set before the interval also waits',
      { changes: 1, dueAt: LATER - 1, dueTrigger: 'Changes' },
      { at: NOW + LEAST_MS, trigger: 'Changes' },
    ],
    [
      'a requested refresh does not wait',
      { changes: 1, dueAt: LATER - 1, dueTrigger: 'Requested' },
      { at: LATER - 1, trigger: 'Requested' },
    ],
    [
      'a longer hold also applies',
      { changes: 9, checkedAt: LATER - LEAST_MS, hold: heldUntil(LATER + MINUTE_MS) },
      { at: LATER + MINUTE_MS, trigger: 'Interval' },
    ],
  ])('%s', (_, differing, due) => {
    expect(dueOf(settledScope(differing), spaced, LATER)).toEqual(due);
  });

  test('two refreshes are never closer, whatever is written and deleted', () => {
    const traffic = fc.array(
      fc.record({ waitMs: fc.integer({ min: 0, max: 20 * MINUTE_MS }), drops: fc.boolean() }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(traffic, (writes) => {
        let record = settledScope({ sourceCount: 100 });
        let now = NOW;
        const looks = [NOW];
        for (const [n, { waitMs, drops }] of writes.entries()) {
          now += waitMs;
          const dropped = drops ? [{ id: String(n), reason: 'SourceDeleted' as const }] : [];
          const change = {
            lanes: [],
            sources: 0,
            tokens: 1,
            bytes: 1,
            dropped,
            written: [],
            expiresAt: null,
          };
          record = applyChange(record, change, { policy: spaced, now });
          if ((record.dueAt ?? Infinity) > now) continue;
          const committed = { ...record, cited: new Set<string>(), generated: true };
          record = applyCommit(record, committed, { policy: spaced, now });
          looks.push(now);
        }
        const gaps = looks.slice(1).map((look, at) => look - (looks[at] ?? 0));
        for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(LEAST_MS);
      }),
    );
  });

  test('a changed recipe makes nothing due sooner', () => {
    const rules = {
      recipeOf: () => 'new',
      fallbackOf: () => 'extractive',
      leastIntervalMs: LEAST_MS,
    };
    const old = settledScope({ recipeHash: 'old' });
    expect(recipeMarks([old], { ...rules, now: NOW + LEAST_MS - 1 })).toEqual([]);
    expect(recipeMarks([old], { ...rules, now: NOW + LEAST_MS })).toHaveLength(1);
  });

  test('the interval comes from the policy of the tenant', () => {
    const policy = defaultPolicy('acme');
    expect(duePolicyOf(policy, 'user')).not.toHaveProperty('leastIntervalMs');
    const limited = { ...policy, leastIntervalMs: LEAST_MS };
    expect(duePolicyOf(limited, 'user').leastIntervalMs).toBe(LEAST_MS);
  });
});

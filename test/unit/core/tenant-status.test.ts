import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import {
  readTenantStatus,
  type StatusSource,
  type StatusRules,
} from '#core/refresh/tenant-status.ts';
import { emptyScopeRecord, type ScopeRecord } from '#core/records/scope-record.ts';
import type { Summary } from '#core/records/summary.ts';
import { freshnessOf } from '#core/refresh/staleness.ts';
import { MINUTE_MS, NOW, summaryOf, userScope } from '#test/conformance/samples.ts';

import { heldUntil, RECIPE, settledScope, SOURCES } from './scope-records.ts';

const TENANT = 'acme';
const POLICY = defaultPolicy(TENANT);
const RULES: StatusRules = { policy: POLICY, now: NOW, recipeOf: () => RECIPE };
const LETTER = { code: 'MODEL_OUTPUT_INVALID', reason: 'LowGrounding', at: NOW };
const AGAIN = { ...LETTER, code: 'PROVIDER_REJECTED', reason: 'PROVIDER_REJECTED' };
const EXHAUSTED = {
  ...heldUntil(NOW + MINUTE_MS),
  code: 'BUDGET_EXHAUSTED',
} as ScopeRecord['hold'];

/** Scopes with their summaries, as a store would list and answer them. */
function sourceOf(
  records: readonly ScopeRecord[],
  summaries: ReadonlyMap<string, Summary> = new Map(),
): StatusSource & { readonly reads: number[] } {
  const reads: number[] = [];
  const named = records.map((record, at) => {
    return { ...record, scopeId: `scope-${String(at).padStart(6, '0')}` };
  });
  return {
    reads,
    scopes: {
      list: async (_, limit, after) => {
        const page = named.filter(({ scopeId }) => scopeId > (after?.scopeId ?? ''));
        reads.push(limit);
        return page.slice(0, limit);
      },
    },
    summaries: { get: async ({ scopeId }) => summaries.get(scopeId) ?? null },
  };
}

const fresh = (differing: Partial<ScopeRecord> = {}) =>
  settledScope({ recipeHash: RECIPE, ...differing });

describe('the status of a tenant', () => {
  const cases: readonly [string, Partial<ScopeRecord>, 'fresh' | 'stale'][] = [
    ['with unchanged sources', {}, 'fresh'],
    ['that was never made', { generatedAt: null, checkedAt: null }, 'stale'],
    ['with another recipe', { recipeHash: 'another' }, 'stale'],
    ['with an unknown recipe', { recipeHash: null }, 'fresh'],
    ['that is too old', { generatedAt: NOW - 400 * 86_400_000 }, 'stale'],
    ['with a source that has ended', { nextExpiryAt: NOW }, 'stale'],
    ['with a source that ends later', { nextExpiryAt: NOW + 1 }, 'fresh'],
    ['with a deleted source', { droppedSources: [{ id: 'a', reason: 'SourceDeleted' }] }, 'stale'],
    ['dead-lettered for low grounding', { deadLetter: LETTER }, 'stale'],
  ];
  it.each(cases)('counts a summary %s correctly', async (_, differing, expected) => {
    const status = await readTenantStatus(sourceOf([fresh(differing)]), TENANT, RULES);
    expect(status).toMatchObject({ scopes: 1, isComplete: true, [expected]: 1 });
    expect(status.layers.user).toMatchObject({ scopes: 1, [expected]: 1 });
    expect(status.layers.company).toMatchObject({ scopes: 0, fresh: 0, stale: 0 });
  });

  it('ignores a scope that never had a source', async () => {
    const records = [emptyScopeRecord(userScope(TENANT)), fresh()];
    const status = await readTenantStatus(sourceOf(records), TENANT, RULES);
    expect(status).toMatchObject({ scopes: 1, fresh: 1, stale: 0 });
  });

  it('reads the summary itself if writes may have canceled each other', async () => {
    const written = fresh({ changes: 2 });
    const made = { sourceHash: SOURCES, recipeHash: RECIPE };
    const same = summaryOf(userScope(TENANT), [], made);
    const summaries = new Map([
      ['scope-000000', same],
      ['scope-000001', { ...same, sourceHash: 'another' }],
    ]);
    const records = [written, written, written];
    const status = await readTenantStatus(sourceOf(records, summaries), TENANT, RULES);
    expect(status).toMatchObject({ scopes: 3, fresh: 1, stale: 2 });
  });

  it('includes the last generation time and the next due time', async () => {
    const records = [
      fresh({ generatedAt: NOW - 5, dueAt: NOW + 50, dueTrigger: 'Interval' }),
      fresh({ generatedAt: NOW - 9, dueAt: NOW + 40, dueTrigger: 'Interval' }),
      fresh({
        generatedAt: null,
        checkedAt: null,
        hold: heldUntil(NOW + 60),
        dueAt: NOW,
        dueTrigger: 'Changes',
      }),
      fresh({ generatedAt: null, deadLetter: LETTER, dueAt: NOW + 70 }),
    ];
    const status = await readTenantStatus(sourceOf(records), TENANT, RULES);
    expect(status).toMatchObject({ lastRefreshAt: NOW - 5, nextDueAt: NOW + 40 });
    const none = await readTenantStatus(sourceOf([]), TENANT, RULES);
    expect(none).toMatchObject({ scopes: 0, lastRefreshAt: null, nextDueAt: null, failure: null });
  });

  it('names the failure of most scopes, and ignores exhausted budgets', async () => {
    const timeout = fresh({ hold: heldUntil(NOW + 1) });
    const over = fresh({ hold: heldUntil(NOW) });
    const later = { ...LETTER, at: NOW + 1, reason: 'NoGroundedFact' };
    const letters = [LETTER, later, LETTER].map((deadLetter) => fresh({ deadLetter }));
    const records = [timeout, timeout, over, ...letters, fresh({ hold: EXHAUSTED })];
    const status = await readTenantStatus(sourceOf(records), TENANT, RULES);
    expect(status).toMatchObject({ deadLetters: 3, waitingForBudget: 1 });
    const { code, reason } = later;
    expect(status.failure).toEqual({ code, reason, scopes: 3, since: NOW });
    const many = await readTenantStatus(sourceOf([...records, timeout, timeout]), TENANT, RULES);
    expect(many.failure).toMatchObject({ code: 'TIMEOUT', reason: null, scopes: 4 });
    const even = sourceOf([timeout, fresh({ deadLetter: LETTER })]);
    const told = await readTenantStatus(even, TENANT, RULES);
    expect(told.failure).toMatchObject({ code: 'MODEL_OUTPUT_INVALID', scopes: 1 });
  });

  const waiting: Partial<ScopeRecord> = { hold: heldUntil(NOW + 1) };
  it.each<[string, Partial<ScopeRecord>, model: string, 'fresh' | 'stale']>([
    ['a text that stands in for a model that is away', waiting, 'extractive', 'stale'],
    ['a text that stands in after three failures', { deadLetter: AGAIN }, 'extractive', 'stale'],
    ['a summary of the model that is away now', waiting, 'gateway/small', 'fresh'],
    ['a summary that is held for its budget', { hold: EXHAUSTED }, 'extractive', 'fresh'],
    ['a text of sentences that waits for nothing', {}, 'extractive', 'fresh'],
  ])(
    'counts %s as its reader sees it, without the recipe',
    async (_, differing, model, expected) => {
      const made = { sourceHash: SOURCES, recipeHash: RECIPE, model };
      const summary = summaryOf(userScope(TENANT), [], made);
      const source = sourceOf([fresh(differing)], new Map([['scope-000000', summary]]));
      const status = await readTenantStatus(source, TENANT, { ...RULES, recipeOf: () => null });
      expect(status).toMatchObject({ scopes: 1, [expected]: 1 });
    },
  );

  it('is marked as incomplete if the tenant has more scopes than one read covers', async () => {
    const source = sourceOf(Array.from({ length: 1_300 }, () => fresh()));
    const part = await readTenantStatus(source, TENANT, { ...RULES, scopesMax: 1_200 });
    expect(part).toMatchObject({ scopes: 1_200, isComplete: false });
    const { rest } = part;
    expect(source.reads).toEqual([500, 500, 500]);
    const whole = await readTenantStatus(source, TENANT, RULES);
    expect(whole).toMatchObject({ scopes: 1_300, isComplete: true, rest: null });
    const gone = await readTenantStatus(source, TENANT, { ...RULES, walk: rest });
    expect(gone).toEqual(whole);
  });

  it('is the same over several continued reads as in a single read', async () => {
    const record = fc.record({
      generatedAt: fc.constantFrom(null, NOW, NOW - 1_000),
      sourceCount: fc.constantFrom(0, 3),
      deadLetter: fc.constantFrom(null, LETTER, { ...LETTER, code: 'TIMEOUT' }),
      hold: fc.constantFrom(null, EXHAUSTED),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { maxLength: 12 }),
        fc.integer({ min: 1, max: 5 }),
        async (differing, scopesMax) => {
          const source = sourceOf(differing.map((each) => fresh(each)));
          let part = await readTenantStatus(source, TENANT, { ...RULES, scopesMax });
          let looks = 1;
          while (part.rest !== null) {
            part = await readTenantStatus(source, TENANT, { ...RULES, scopesMax, walk: part.rest });
            looks += 1;
          }
          expect(part).toEqual(await readTenantStatus(source, TENANT, RULES));
          expect(looks).toBe(Math.max(1, Math.ceil(differing.length / scopesMax)));
        },
      ),
    );
  });

  it('counts as fresh and stale what readers see, whatever the records hold', async () => {
    const record = fc.record({
      generatedAt: fc.constantFrom(NOW, NOW - 1_000, NOW - 400 * 86_400_000),
      nextExpiryAt: fc.constantFrom(null, NOW - 1, NOW + 1),
      recipeHash: fc.constantFrom(RECIPE, 'another'),
      changes: fc.constantFrom(0, 1),
      deadLetter: fc.constantFrom(null, LETTER, { ...LETTER, reason: 'TIMEOUT' }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 12 }), async (differing) => {
        const records = differing.map((each) => fresh(each));
        const summaries = new Map(
          differing.map(({ changes, recipeHash, generatedAt }, at) => {
            const sourceHash = changes === 0 ? SOURCES : 'another';
            const made = { sourceHash, recipeHash, generatedAt };
            const scopeId = `scope-${String(at).padStart(6, '0')}`;
            return [scopeId, summaryOf({ ...userScope(TENANT), scopeId }, [], made)];
          }),
        );
        const told = [...summaries.values()].map((summary, at) => {
          const scope = records[at] ?? fresh();
          const { layers } = POLICY;
          const policy = layers[scope.layer];
          return freshnessOf({ summary, scope, policy, recipeHash: RECIPE, now: NOW }).kind;
        });
        const status = await readTenantStatus(sourceOf(records, summaries), TENANT, RULES);
        expect(status.fresh).toBe(told.filter((kind) => kind === 'Fresh').length);
        expect(status.stale).toBe(told.filter((kind) => kind === 'Stale').length);
      }),
    );
  });
});

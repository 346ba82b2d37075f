import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LAYERS, PRECEDENCE, type Layer } from '#core/layer.ts';
import { planBatches, type BatchPlan, type PlannedBatch } from '#core/refresh/plan-batches.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { ATTEMPTS_MAX } from '#core/refresh/retries-and-dead-letters.ts';
import { NOW } from '#test/conformance/samples.ts';
import { settledScope } from './scope-records.ts';

const PRIVATE: readonly Layer[] = ['agent', 'user', 'session'];

const ROOM = { inputTokens: 100, outputTokens: 40 };
const SMALL_ROOM = { inputTokens: 50, outputTokens: 30 };
const OUTPUT_TOKENS = 10;

const modelOf = ({ layer }: ScopeRecord) =>
  layer === 'org' || layer === 'company'
    ? { name: 'economy', room: SMALL_ROOM }
    : { name: 'standard', room: ROOM };

const LIMITS: BatchPlan = {
  modelOf,
  sizeOf: ({ sourceTokens }) => ({ inputTokens: sourceTokens, outputTokens: OUTPUT_TOKENS }),
  itemsMax: 5,
  batchesMax: 8,
};
const WIDE: BatchPlan = { ...LIMITS, batchesMax: 1_000 };

const due = (differing: Partial<ScopeRecord>): ScopeRecord =>
  settledScope({ dueAt: NOW, dueTrigger: 'Changes', sourceTokens: 10, ...differing });

const nameOf = ({ layer, scopeId }: ScopeRecord) => `${layer}/${scopeId}`;
const namesOf = (batches: readonly PlannedBatch[]) =>
  batches.map((batch) => batch.scopes.map(nameOf));

const scopes = fc.uniqueArray(
  fc
    .record({
      layer: fc.constantFrom(...LAYERS),
      scopeId: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      sourceTokens: fc.integer({ min: 0, max: 150 }),
      dueAt: fc.constantFrom(NOW - 2, NOW - 1, NOW, null),
      dueTrigger: fc.constantFrom('Changes' as const, 'Urgent' as const, null),
      attempts: fc.integer({ min: 0, max: ATTEMPTS_MAX - 1 }),
    })
    .map(due),
  { selector: nameOf, maxLength: 40 },
);

describe('planBatches', () => {
  test('puts what fits into one call', () => {
    const teams = ['a', 'b', 'c'].map((scopeId) => due({ layer: 'team', scopeId }));
    const project = due({ layer: 'project', scopeId: 'p' });
    expect(namesOf(planBatches([...teams, project], LIMITS))).toEqual([
      ['project/p', 'team/a', 'team/b', 'team/c'],
    ]);
  });

  test('SUM-17: orders urgent scopes first, then more specific layers, then longer due', () => {
    const planned = planBatches(
      [
        due({ layer: 'team', scopeId: 'a', dueAt: NOW - 9 }),
        due({ layer: 'project', scopeId: 'young' }),
        due({ layer: 'project', scopeId: 'old', dueAt: NOW - 1 }),
        due({ layer: 'company', scopeId: 'c', dueTrigger: 'Urgent' }),
        due({ layer: 'agent', scopeId: 'a' }),
      ],
      LIMITS,
    );
    expect(namesOf(planned)).toEqual([
      ['company/c'],
      ['agent/a'],
      ['project/old', 'project/young', 'team/a'],
    ]);
  });

  test('puts no more scopes into a call than its answer has room for', () => {
    const teams = ['a', 'b', 'c', 'd', 'e'].map((scopeId) => due({ layer: 'team', scopeId }));
    expect(namesOf(planBatches(teams, LIMITS))).toEqual([
      ['team/a', 'team/b', 'team/c', 'team/d'],
      ['team/e'],
    ]);
  });

  test('puts only scopes of one model into a call', () => {
    fc.assert(
      fc.property(scopes, (records) => {
        for (const { model, scopes: planned } of planBatches(records, WIDE)) {
          expect(new Set(planned.map((scope) => modelOf(scope).name))).toEqual(new Set([model]));
        }
      }),
    );
  });

  test('never puts texts of two owners into one call', () => {
    fc.assert(
      fc.property(scopes, (records) => {
        for (const batch of planBatches(records, WIDE)) {
          const owned = batch.scopes.filter(({ layer }) => PRIVATE.includes(layer));
          if (owned.length > 0) expect(batch.scopes).toHaveLength(1);
        }
      }),
    );
  });

  test('exceeds a limit only for a single scope', () => {
    fc.assert(
      fc.property(scopes, (records) => {
        for (const { model, scopes: planned } of planBatches(records, WIDE)) {
          const tokens = planned.reduce((sum, scope) => sum + scope.sourceTokens, 0);
          const room = model === 'economy' ? SMALL_ROOM : ROOM;
          expect(planned.length).toBeLessThanOrEqual(LIMITS.itemsMax);
          if (planned.length === 1) continue;
          expect(tokens).toBeLessThanOrEqual(room.inputTokens);
          expect(planned.length * OUTPUT_TOKENS).toBeLessThanOrEqual(room.outputTokens);
        }
      }),
    );
  });

  test('does not let a small model limit the calls of another', () => {
    const large = ['a', 'b'].map((scopeId) => due({ layer: 'team', scopeId, sourceTokens: 50 }));
    const org = due({ layer: 'org', scopeId: 'o', sourceTokens: 50 });
    expect(namesOf(planBatches([...large, org], LIMITS))).toEqual([
      ['team/a', 'team/b'],
      ['org/o'],
    ]);
  });

  test('SUM-16: puts each scope into one batch, and leaves the rest if batches run out', () => {
    fc.assert(
      fc.property(scopes, (records) => {
        const all = namesOf(planBatches(records, WIDE)).flat();
        expect(all.toSorted()).toEqual(records.map(nameOf).toSorted());
        const some = planBatches(records, LIMITS);
        const names = namesOf(some).flat();
        expect(some.length).toBeLessThanOrEqual(LIMITS.batchesMax);
        expect(new Set(names).size).toBe(names.length);
        if (some.length < LIMITS.batchesMax) expect(names.toSorted()).toEqual(all.toSorted());
      }),
    );
  });

  test('does not depend on the order in which scopes were read', () => {
    const shuffled = scopes.chain((records) =>
      fc
        .shuffledSubarray(records, { minLength: records.length })
        .map((other) => ({ records, other })),
    );
    fc.assert(
      fc.property(shuffled, ({ records, other }) => {
        const planned = namesOf(planBatches(records, LIMITS));
        expect(namesOf(planBatches(other, LIMITS))).toEqual(planned);
      }),
    );
  });

  test('sorts batches by their first scopes, and scopes within batches', () => {
    const rank = ({ dueTrigger, layer }: ScopeRecord) =>
      (dueTrigger === 'Urgent' ? 0 : 10) + PRECEDENCE[layer];
    const isSorted = (ranks: readonly number[]) =>
      ranks.every((each, at) => at === 0 || each >= (ranks[at - 1] ?? 0));
    fc.assert(
      fc.property(scopes, (records) => {
        const batches = planBatches(records, LIMITS);
        expect(isSorted(batches.flatMap((batch) => batch.scopes.slice(0, 1).map(rank)))).toBe(true);
        for (const batch of batches) expect(isSorted(batch.scopes.map(rank))).toBe(true);
      }),
    );
  });

  test('plans the last attempt alone, so that its failure affects no other scope', () => {
    const team = (scopeId: string, attempts: number) => due({ layer: 'team', scopeId, attempts });
    const records = [team('a', 0), team('b', 1), team('c', ATTEMPTS_MAX - 1), team('d', 0)];
    expect(namesOf(planBatches(records, LIMITS))).toEqual([
      ['team/a', 'team/b', 'team/d'],
      ['team/c'],
    ]);
  });
});

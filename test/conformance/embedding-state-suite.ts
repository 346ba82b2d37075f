/** The suite of embedding states and calibrations: which generation searches use, and how. */
import { describe, expect, it } from 'vitest';

import type { EmbeddingState } from '#core/records/embedding-state.ts';

import { newTenant, sharedStore, type Open } from './adapter.ts';
import { memoryOf, NOW, rulesAt } from './samples.ts';
import { GENERATION } from './search-samples.ts';

const NEXT = 'model-2';

/** A tenant whose memories are compared by the sample generation. */
export function stateOf(tenant: string, differing: Partial<EmbeddingState> = {}): EmbeddingState {
  return {
    tenant,
    active: GENERATION,
    target: null,
    phase: 'Steady',
    dropping: null,
    keepOldMs: 0,
    startedAt: null,
    updatedAt: NOW,
    version: 1,
    ...differing,
  };
}

export function embeddingStateSuite(open: Open): void {
  describe('embeddings: state and calibration', () => {
    stateSuite(open);
  });
}

function stateSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('STORE-53: a state is written once per version', async () => {
    const { store, tenant } = fixture();
    expect(await store.embeddings.state(tenant)).toBeNull();
    const first = stateOf(tenant);
    expect(await store.embeddings.putState({ ...first, version: 2 })).toBe(false);
    expect(await store.embeddings.putState(first)).toBe(true);
    expect(await store.embeddings.putState({ ...first, active: NEXT })).toBe(false);
    expect(await store.embeddings.state(tenant)).toEqual(first);
    const filling = { target: NEXT, phase: 'Filling', startedAt: NOW } as const;
    const second = stateOf(tenant, { ...filling, version: 2 });
    expect(await store.embeddings.putState(second)).toBe(true);
    expect(await store.embeddings.putState({ ...second, version: 4 })).toBe(false);
    expect(await store.embeddings.state(tenant)).toEqual(second);
    expect(await store.embeddings.state(newTenant())).toBeNull();
  });

  it('STORE-53: one of many concurrent states of the same version is written', async () => {
    const { store, tenant } = fixture();
    const names = Array.from({ length: 20 }, (_, n) => `model-${n}`);
    const written = await Promise.all(
      names.map((active) => store.embeddings.putState(stateOf(tenant, { active }))),
    );
    expect(written.filter(Boolean)).toHaveLength(1);
    const active = names[written.indexOf(true)];
    expect(await store.embeddings.state(tenant)).toMatchObject({ active, version: 1 });
  });

  it('STORE-53: tenants whose generation is changing are listed page by page', async () => {
    await using opened = await open();
    const { store } = opened;
    const tenants = [newTenant(), newTenant(), newTenant(), newTenant()].toSorted();
    const [a = '', b = '', c = '', d = ''] = tenants;
    const change = { target: NEXT, startedAt: NOW };
    for (const state of [
      stateOf(d, { ...change, phase: 'Paused' }),
      stateOf(b, { ...change, phase: 'Filling' }),
      stateOf(a),
      stateOf(c, { dropping: NEXT, phase: 'Dropping' }),
    ]) {
      await store.embeddings.putState(state);
    }
    const first = await store.embeddings.changing({ after: null, limit: 2 });
    expect(first.map(({ tenant }) => tenant)).toEqual([b, c]);
    const rest = await store.embeddings.changing({ after: c, limit: 2 });
    expect(rest).toEqual([stateOf(d, { ...change, phase: 'Paused' })]);
  });

  it('STORE-53: tenants that have a scope are listed page by page', async () => {
    await using opened = await open();
    const { store } = opened;
    const tenants = [newTenant(), newTenant(), newTenant()].toSorted();
    for (const tenant of tenants.toReversed()) {
      for (const n of [1, 2]) {
        await store.memories.add(memoryOf(tenant, n, { scopeId: `user-${n}` }), rulesAt(NOW));
      }
    }
    const first = await store.embeddings.tenants({ after: null, limit: 2 });
    expect(first).toEqual(tenants.slice(0, 2));
    const rest = await store.embeddings.tenants({ after: tenants[1] ?? '', limit: 2 });
    expect(rest).toEqual(tenants.slice(2));
  });

  it('STORE-53: a generation has one calibration, the one written last', async () => {
    const { store, tenant } = fixture();
    const generation = `generation-of-${tenant}`;
    expect(await store.embeddings.calibration(generation)).toBeNull();
    const calibration = { generation, unrelatedCosine: 0.25, sentences: '1' };
    await store.embeddings.putCalibration(calibration);
    await store.embeddings.putCalibration({ ...calibration, unrelatedCosine: 0.5 });
    const kept = await store.embeddings.calibration(generation);
    expect(kept).toEqual({ ...calibration, unrelatedCosine: 0.5 });
  });
}

/** The suite of `VariantRecords`: who reads a summary, and what is pending for that reader. */
import { describe, expect, it } from 'vitest';

import { PLACE_KEPT_MS, VARIANTS_PER_SCOPE_MAX, type Store } from '#core/ports/store.ts';
import type { Summary } from '#core/records/summary.ts';
import type { Variant, VariantLease } from '#core/records/variant.ts';
import type { Scope } from '#core/scope.ts';

import { sharedStore, type Open } from './adapter.ts';
import { refresh } from './refresh.ts';
import { eventOf, idOf, memoryOf, NOW, rulesAt, summaryOf, userScope } from './samples.ts';

const ANN = 'user:ann';
const BOB = 'user:bob';
const LEASE: VariantLease = { claimId: 'claim-1', batchId: 'batch-1', until: NOW + 5, model: 'm' };

export function variantOf(
  scope: Scope,
  audience: string,
  differing: Partial<Variant> = {},
): Variant {
  return {
    ...scope,
    audience,
    firstReadAt: NOW,
    lastReadAt: NOW,
    dueAt: NOW,
    heldUntil: null,
    lease: null,
    attempts: 0,
    version: 1,
    ...differing,
  };
}

/** Commits the text of a variant, chosen from the current general summary. */
export async function commitVariant(
  store: Store,
  scope: Scope,
  audience: string,
): Promise<Summary> {
  const record = await store.scopes.get(scope);
  const made = { audience, personalized: true, personalizationContext: 'Gardens.' };
  const summary = summaryOf(scope, [idOf(1)], { id: `${audience}-${record.version}`, ...made });
  const next = { ...record, version: record.version + 1 };
  const event = eventOf(scope.tenant, `event-${audience}-${next.version}`);
  const commit = { summary, scope: next, outcome: 'Generated', event } as const;
  if (!(await store.summaries.commit(commit))) {
    throw new Error('Nobody else wrote to the scope, and the audience has a variant.');
  }
  return summary;
}

export function variantSuite(open: Open): void {
  describe('variants: records', () => {
    readerSuite(open);
  });
  describe('variants: texts', () => {
    textSuite(open);
  });
}

function readerSuite(open: Open): void {
  const fixture = sharedStore(open);
  const dueOf = (store: Store, tenant: string, until: number, now = until) =>
    store.variants.due(tenant, { until, now, limit: 10 });

  it('SUM-03: a variant is read by scope and audience, and written only at its next version', async () => {
    const { store, tenant } = fixture();
    const [scope, other] = [userScope(tenant), userScope(tenant, 'bob')];
    const first = variantOf(scope, ANN);
    expect(await store.variants.get(scope, ANN)).toBeNull();
    expect(await store.variants.put({ ...first, version: 2 })).toBe(false);
    expect(await store.variants.put(first)).toBe(true);
    expect(await store.variants.put({ ...first, lastReadAt: NOW + 1 })).toBe(false);
    const second = { ...first, lastReadAt: NOW + 2, lease: LEASE, attempts: 1, version: 2 };
    expect(await store.variants.put(second)).toBe(true);
    expect(await store.variants.put({ ...second, attempts: 2 })).toBe(false);
    expect(await store.variants.get(scope, ANN)).toEqual(second);
    expect(await store.variants.get(other, ANN)).toBeNull();
    expect(await store.variants.get(scope, BOB)).toBeNull();
    const bob = variantOf(scope, BOB);
    await store.variants.put(bob);
    expect(await store.variants.ofScope(scope)).toEqual([second, bob]);
    expect(await store.variants.ofScope(other)).toEqual([]);
  });

  it('due variants without a lease are listed, earliest first', async () => {
    const { store, tenant } = fixture();
    const scope = userScope(tenant);
    const late = variantOf(scope, ANN, { dueAt: NOW + 3 });
    const early = variantOf(scope, BOB, { dueAt: NOW + 2, lease: LEASE });
    const none = variantOf(scope, 'session:call', { dueAt: null });
    for (const variant of [late, early, none]) await store.variants.put(variant);
    expect(await dueOf(store, tenant, NOW + 2)).toEqual([]);
    expect(await dueOf(store, tenant, NOW + 3, NOW + 4)).toEqual([late]);
    expect(await dueOf(store, tenant, NOW + 5)).toEqual([early, late]);
    const one = { until: NOW + 5, now: NOW + 5, limit: 1 };
    expect(await store.variants.due(tenant, one)).toEqual([early]);
    for (const by of [{ claimId: 'claim-1' }, { batchId: 'batch-1' }]) {
      expect(await store.variants.leased(tenant, by)).toEqual([early]);
    }
    expect(await store.variants.leased(tenant, { claimId: 'batch-1' })).toEqual([]);
  });

  it('only leases that end too late are shortened', async () => {
    const { store, tenant } = fixture();
    const scope = userScope(tenant);
    const far = variantOf(scope, ANN, { lease: { ...LEASE, until: NOW + 9 } });
    const near = variantOf(scope, BOB, { lease: LEASE });
    for (const variant of [far, near]) await store.variants.put(variant);
    const clamp = { tenant, beyond: NOW + 5, until: NOW + 1, limit: 10 };
    expect(await store.variants.clampLeases(clamp)).toBe(1);
    expect(await store.variants.clampLeases(clamp)).toBe(0);
    const shorter = { ...far, lease: { ...LEASE, until: NOW + 1 }, version: 2 };
    expect(await store.variants.ofScope(scope)).toEqual([shorter, near]);
  });

  it('a tenant with a due variant is listed as due', async () => {
    await using opened = await open();
    const { store } = opened;
    const [first, second] = [userScope('first'), userScope('second')];
    await store.variants.put(variantOf(second, ANN, { dueAt: NOW + 2 }));
    await store.variants.put(variantOf(first, ANN, { dueAt: NOW + 1, lease: LEASE }));
    const waiting = (now: number) => store.scopes.dueTenants({ now, limit: 10 });
    expect(await waiting(NOW + 1)).toEqual([]);
    expect(await waiting(NOW + 4)).toEqual(['second']);
    expect(await waiting(NOW + 5)).toEqual(['first', 'second']);
  });
}

function textSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('the text for an audience is stored beside the general one and does not replace it', async () => {
    const { store, tenant } = fixture();
    const scope = userScope(tenant);
    await store.memories.add(memoryOf(tenant, 1), rulesAt(NOW));
    const { summary: general } = await refresh(store, scope, NOW);
    await expect(commitVariant(store, scope, ANN)).rejects.toThrow('has a variant');
    await store.variants.put(variantOf(scope, ANN));
    const made = await commitVariant(store, scope, ANN);
    expect(await store.summaries.get(scope, ANN)).toEqual(made);
    expect(await store.summaries.get(scope, '')).toEqual(general);
    expect(await store.summaries.get(scope, BOB)).toBeNull();
    expect(await store.summaries.list(tenant, 10)).toEqual([general, made]);
    const again = await commitVariant(store, scope, ANN);
    expect(await store.summaries.list(tenant, 10)).toEqual([general, again]);
  });

  it('a new general summary deletes the texts derived from the old one', async () => {
    const { store, tenant } = fixture();
    const scope = userScope(tenant);
    await store.memories.add(memoryOf(tenant, 1), rulesAt(NOW));
    await store.memories.add(memoryOf(tenant, 2), rulesAt(NOW));
    await refresh(store, scope, NOW);
    const variant = variantOf(scope, ANN);
    await store.variants.put(variant);
    await commitVariant(store, scope, ANN);
    const { summary } = await refresh(store, scope, NOW + 1);
    expect(await store.summaries.list(tenant, 10)).toEqual([summary]);
    expect(await store.variants.ofScope(scope)).toEqual([variant]);
  });

  it('a scope that lost its last source loses its variants', async () => {
    const { store, tenant } = fixture();
    const [scope, other] = [userScope(tenant), userScope(tenant, 'bob')];
    await store.memories.add(memoryOf(tenant, 1), rulesAt(NOW));
    await refresh(store, scope, NOW);
    await store.variants.put(variantOf(scope, ANN));
    await store.variants.put(variantOf(other, ANN));
    await commitVariant(store, scope, ANN);
    await store.memories.delete({ tenant, id: idOf(1) }, rulesAt(NOW));
    expect((await refresh(store, scope, NOW + 1)).outcome).toBe('Emptied');
    expect(await store.summaries.list(tenant, 10)).toEqual([]);
    expect(await store.variants.ofScope(scope)).toEqual([]);
    expect(await store.variants.ofScope(other)).toHaveLength(1);
  });

  it('a new variant beyond the maximum replaces that of the least recent reader', async () => {
    const { store, tenant } = fixture();
    const scope = userScope(tenant);
    await store.memories.add(memoryOf(tenant, 1), rulesAt(NOW));
    const { summary: general } = await refresh(store, scope, NOW);
    await store.variants.put(variantOf(userScope(tenant, 'bob'), ANN, { lastReadAt: 0 }));
    for (let n = 0; n < VARIANTS_PER_SCOPE_MAX; n += 1) {
      const lastReadAt = n === 7 ? NOW : NOW + 1 + n;
      await store.variants.put(variantOf(scope, `user:${n}`, { lastReadAt }));
    }
    const kept = await commitVariant(store, scope, 'user:0');
    await commitVariant(store, scope, 'user:7');
    const late = variantOf(scope, ANN, { lastReadAt: NOW + PLACE_KEPT_MS });
    expect(await store.variants.put({ ...late, lastReadAt: late.lastReadAt - 1 })).toBe(false);
    expect(await store.variants.ofScope(scope)).toHaveLength(VARIANTS_PER_SCOPE_MAX);
    expect(await store.variants.put(late)).toBe(true);
    const left = await store.variants.ofScope(scope);
    expect(left).toHaveLength(VARIANTS_PER_SCOPE_MAX);
    const audiences = new Set(left.map(({ audience }) => audience));
    expect([ANN, 'user:0', 'user:7'].map((each) => audiences.has(each))).toEqual([
      true,
      true,
      false,
    ]);
    expect(await store.summaries.list(tenant, 10)).toEqual([general, kept]);
    expect(await store.variants.ofScope(userScope(tenant, 'bob'))).toHaveLength(1);
  });
}

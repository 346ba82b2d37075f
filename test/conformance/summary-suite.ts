/**
 * The suite of `SummaryRecords`: a commit is atomic, and only for the version that it was made
 * from.
 */
import { describe, expect, it } from 'vitest';

import type { Store } from '#core/ports/store.ts';
import type { SummaryCommit } from '#core/ports/scope-records.ts';

import { sharedStore, type Open } from './adapter.ts';
import { claim, commitOf, refresh } from './refresh.ts';
import {
  eventOf,
  idOf,
  memoryOf,
  MINUTE_MS,
  newContent,
  NOW,
  rulesAt,
  summaryOf,
  userScope,
} from './samples.ts';

export function summarySuite(open: Open): void {
  describe('summaries: reads', () => {
    readSuite(open);
  });
  describe('summaries: commits', () => {
    commitSuite(open);
  });
  describe('summaries: lineage', () => {
    lineageSuite(open);
  });
}

/** A scope with memories 1 to `count`, summarized once. */
async function summarized(store: Store, tenant: string, count: number): Promise<SummaryCommit> {
  for (let n = 1; n <= count; n += 1) {
    await store.memories.add(memoryOf(tenant, n), rulesAt(NOW));
  }
  return refresh(store, userScope(tenant), NOW);
}

function readSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('SUM-07: a summary is read by scope and audience, or null is returned', async () => {
    const { store, tenant } = fixture();
    const scope = userScope(tenant);
    expect(await store.summaries.get(scope, '')).toBeNull();
    const { summary } = await summarized(store, tenant, 2);
    expect(await store.summaries.get(scope, '')).toEqual(summary);
    expect(await store.summaries.get(scope, 'bob')).toBeNull();
    expect(await store.summaries.get(userScope(tenant, 'bob'), '')).toBeNull();
    expect(await store.summaries.list(tenant, 10)).toEqual([summary]);
  });

  it('SUM-02: a summary keeps its texts, token counts, source hash, and times', async () => {
    const { store, tenant } = fixture();
    const sentence = {
      text: 'Ann gardens.',
      tokens: 4,
      sentences: [{ text: 'Ann gardens.', facts: [0] }],
      cut: false,
    };
    const differing = { depths: { sentence }, contextVector: { generation: 'g', values: [0.5] } };
    const summary = summaryOf(userScope(tenant), ['s-1'], differing);
    const claimed = await claim(store, userScope(tenant), NOW);
    const commit = commitOf(claimed.record, claimed, NOW);
    await store.summaries.commit({ ...commit, outcome: 'Generated', summary });
    expect(await store.summaries.get(userScope(tenant), '')).toEqual(summary);
  });
}

function commitSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('STORE-24: a commit writes summary, scope, and event together', async () => {
    const { store, tenant } = fixture();
    const commit = await summarized(store, tenant, 2);
    expect(await store.scopes.get(userScope(tenant))).toEqual(commit.scope);
    expect(commit.scope).toMatchObject({ changes: 0, lease: null, firstStaleAt: null });
    expect(await store.events.list(tenant, { afterId: null, limit: 10 })).toEqual([commit.event]);
  });

  it('STORE-25: a commit made from an earlier version writes nothing', async () => {
    const { store, tenant } = fixture();
    const before = await summarized(store, tenant, 1);
    const claimed = await claim(store, userScope(tenant), NOW);
    const { scope } = await store.memories.add(memoryOf(tenant, 2), rulesAt(NOW));
    const late = commitOf(claimed.record, claimed, NOW + 1);
    expect(await store.summaries.commit(late)).toBe(false);
    expect(await store.scopes.get(userScope(tenant))).toEqual(scope);
    expect(await store.summaries.get(userScope(tenant), '')).toEqual(before.summary);
    const events = await store.events.list(tenant, { afterId: null, limit: 10 });
    expect(events).toEqual([before.event]);
  });

  it('STORE-26: writes that arrive during a batch stay counted', async () => {
    const { store, tenant } = fixture();
    await summarized(store, tenant, 1);
    const claimed = await claim(store, userScope(tenant), NOW);
    const { scope } = await store.memories.add(memoryOf(tenant, 2), rulesAt(NOW));
    const commit = commitOf(scope, claimed, NOW + 1);
    expect(await store.summaries.commit(commit)).toBe(true);
    const after = await store.scopes.get(userScope(tenant));
    expect(after).toMatchObject({ changes: 1, sourceCount: 2, sourceHash: scope.sourceHash });
  });

  it('a check without changes updates only the time of the check', async () => {
    const { store, tenant } = fixture();
    const first = await summarized(store, tenant, 1);
    const claimed = await claim(store, userScope(tenant), NOW + MINUTE_MS);
    const commit = commitOf(claimed.record, claimed, NOW + MINUTE_MS);
    await store.summaries.commit({ ...commit, outcome: 'Unchanged', summary: null });
    const checked = await store.summaries.get(userScope(tenant), '');
    expect(checked).toEqual({ ...first.summary, checkedAt: NOW + MINUTE_MS });
    const gone = await store.memories.delete({ tenant, id: idOf(1) }, rulesAt(NOW + MINUTE_MS));
    expect(gone?.scope.droppedSources).toHaveLength(1);
  });

  it('STORE-27: a scope that lost its last source loses its summary', async () => {
    const { store, tenant } = fixture();
    await summarized(store, tenant, 1);
    await store.memories.delete({ tenant, id: idOf(1) }, rulesAt(NOW));
    const { outcome } = await refresh(store, userScope(tenant), NOW + 1);
    expect(outcome).toBe('Emptied');
    expect(await store.summaries.list(tenant, 10)).toEqual([]);
    expect(await store.scopes.get(userScope(tenant))).toMatchObject({
      droppedSources: [],
      generatedAt: null,
    });
  });

  it('STORE-28: a commit with a generated outcome but no summary is refused', async () => {
    const { store, tenant } = fixture();
    const { scope } = await summarized(store, tenant, 1);
    const next = { ...scope, version: scope.version + 1 };
    const event = eventOf(tenant, 'event-x');
    const commit = { summary: null, scope: next, outcome: 'Generated', event } as const;
    await expect(store.summaries.commit(commit)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await store.scopes.get(userScope(tenant))).toEqual(scope);
  });
}

function lineageSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('only a source that the current summary cites is recorded as dropped', async () => {
    const { store, tenant } = fixture();
    await summarized(store, tenant, 2);
    const claimed = await claim(store, userScope(tenant), NOW);
    const commit = commitOf(claimed.record, claimed, NOW);
    const summary = summaryOf(userScope(tenant), [idOf(2)], { id: 'summary-2' });
    await store.summaries.commit({ ...commit, summary });
    const forgotten = await store.memories.delete({ tenant, id: idOf(1) }, rulesAt(NOW));
    expect(forgotten?.scope.droppedSources).toEqual([]);
    const cited = await store.memories.delete({ tenant, id: idOf(2) }, rulesAt(NOW));
    expect(cited?.scope.droppedSources).toHaveLength(1);
  });

  it('a replaced source that is then deleted is recorded once, as deleted', async () => {
    const { store, tenant } = fixture();
    await summarized(store, tenant, 1);
    const key = { tenant, id: idOf(1) };
    await store.memories.update(key, { content: newContent('Wholly other.') }, rulesAt(NOW));
    const gone = await store.memories.delete(key, rulesAt(NOW));
    expect(gone?.scope.droppedSources).toEqual([{ id: idOf(1), reason: 'SourceDeleted' }]);
  });
}

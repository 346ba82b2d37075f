/** A batch as its activities see it: leased scopes, their sources, and the question they make. */
import type { ModelBatch } from '#core/ports/model.ts';
import type { Digest } from '#core/hash.ts';
import { sourceHashOf } from '#core/hash.ts';
import type { TenantPolicy } from '#core/policy.ts';
import type { StoredAnswer } from '#core/records/answer.ts';
import type { Lease, ScopeRecord } from '#core/records/scope-record.ts';
import { scopeKey } from '#core/scope.ts';
import type { Source } from '#core/source.ts';
import { readSources } from './read-sources.ts';
import type { RefreshPorts } from './refresh-ports.ts';

const ITEM_ID_DIGITS = 16;

export interface BatchScope {
  readonly item: string;
  readonly record: ScopeRecord;
  readonly lease: Lease;
  readonly sources: readonly Source[];
}

/** The scopes that a batch still holds, each with its live sources. */
export async function loadBatch(
  { store, platform }: RefreshPorts,
  batch: { tenant: string; batchId: string },
): Promise<readonly BatchScope[]> {
  const records = await store.scopes.leased(batch.tenant, { batchId: batch.batchId });
  const now = platform.clock();
  const scopes: BatchScope[] = [];
  for (const record of records) {
    if (record.lease === null) continue;
    const sources = await readSources(store.scopes, record, now);
    const item = itemId(platform.digest, batch.batchId, record);
    scopes.push({ item, record, lease: record.lease, sources });
  }
  return scopes;
}

/** The scope as it is now; null where the batch does not hold it any more. */
export async function reloadScope(
  { store, platform }: RefreshPorts,
  { item, record: before, lease }: BatchScope,
): Promise<BatchScope | null> {
  const record = await store.scopes.get(before);
  if (record.lease?.batchId !== lease.batchId) return null;
  const sources = await readSources(store.scopes, record, platform.clock());
  return { item, record, lease, sources };
}

/** What the model is asked. Scopes whose sources are all gone are not part of the question. */
export function questionOf(scopes: readonly BatchScope[], policy: TenantPolicy): ModelBatch {
  return {
    items: scopes
      .filter(({ sources }) => sources.length > 0)
      .map(({ item, record, sources }) => {
        const { depths } = policy.layers[record.layer];
        return { item, layer: record.layer, depths, sources };
      }),
  };
}

/** Hash of a question: a paid answer serves again only while nothing of its question changed. */
export function questionHash(
  digest: Digest,
  model: { name: string; revision: string },
  question: ModelBatch,
): string {
  const items = question.items.map(({ item, layer, depths, sources }) => [
    item,
    layer,
    depths,
    sources.map(({ id, contentHash, speaker }) => [id, contentHash, speaker]),
  ]);
  return digest(JSON.stringify([model.name, model.revision, items]));
}

/** What the sources of each item were when the model read them. */
export function itemStates(digest: Digest, scopes: readonly BatchScope[]): StoredAnswer['items'] {
  return scopes.map(({ item, record, sources }) => ({
    item,
    sourceHash: sourceHashOf(digest, sources),
    sourceCount: sources.length,
    sourceTokens: sources.reduce((sum, source) => sum + source.tokens, 0),
    sourceBytes: sources.reduce((sum, source) => sum + source.bytes, 0),
    changes: record.changes,
    nextExpiryAt: nextExpiry(sources),
  }));
}

/** An opaque name for a scope within one batch, so that no identifier of a person meets a model. */
function itemId(digest: Digest, batchId: string, record: ScopeRecord): string {
  return digest(`${batchId}\n${scopeKey(record)}`).slice(0, ITEM_ID_DIGITS);
}

function nextExpiry(sources: readonly Source[]): number | null {
  const times = sources.flatMap((source) => source.expiresAt ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

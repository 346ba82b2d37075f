/** A batch as its activities see it: leased scopes with their live sources. */
import { VarveError } from '#core/errors.ts';
import { type Digest, sourceHashOf } from '#core/hash.ts';
import { pagesOf } from '#core/chunks-and-pages.ts';
import type { SummaryModel } from '#core/ports/model.ts';
import type { ScopeRecords } from '#core/ports/scope-records.ts';
import type { PaidAnswer } from '#core/records/paid-answer.ts';
import type { Lease, ScopeRecord } from '#core/records/scope-record.ts';
import type { Scope } from '#core/scope.ts';
import { scopeKey } from '#core/scope-key.ts';
import type { Source } from '#core/sources/source.ts';
import type { Models, RefreshPorts } from './refresh-ports.ts';
import { earliest } from '#core/refresh/scope-transitions.ts';

const ITEM_ID_DIGITS = 16;

export interface BatchKey {
  readonly tenant: string;
  readonly batchId: string;
}

/** One summary to make: a scope, and whom it is for. */
export interface BatchScope {
  readonly record: ScopeRecord;
  readonly lease: Lease;
  /** Empty for the general summary; as in `Summary.audience`. */
  readonly audience: string;
  /** The audience in words, for the model; null for the general summary. */
  readonly about: string | null;
  readonly sources: readonly Source[];
}

/** State of a scope's sources when they were read; the commit records it. */
export type ScopeState = Pick<
  PaidAnswer['items'][number],
  'sourceHash' | 'sourceCount' | 'sourceTokens' | 'sourceBytes' | 'changes' | 'nextExpiryAt'
>;

/**
 * The scopes that a batch still holds, each with its live sources.
 * @param hasSources false for scopes that are only released: their sources are not read
 */
export async function loadBatch(
  { store, platform }: RefreshPorts,
  batch: BatchKey,
  hasSources = true,
): Promise<readonly BatchScope[]> {
  const records = await store.scopes.leased(batch.tenant, { batchId: batch.batchId });
  const now = platform.clock();
  const scopes: BatchScope[] = [];
  for (const record of records) {
    const { lease } = record;
    if (lease === null) continue;
    const sources = hasSources ? await readSources(store.scopes, record, now) : [];
    scopes.push({ record, lease, audience: '', about: null, sources });
  }
  return scopes;
}

/** The scope as it is now; null where the batch does not hold it any more. */
export async function reloadScope(
  { store, platform }: RefreshPorts,
  before: BatchScope,
): Promise<BatchScope | null> {
  const record = await store.scopes.get(before.record);
  if (record.lease?.batchId !== before.lease.batchId) return null;
  const sources = await readSources(store.scopes, record, platform.clock());
  return { ...before, record, sources };
}

/** The model that a batch was planned for. @throws VarveError NOT_FOUND */
export function plannedModel({ models }: RefreshPorts, { lease }: BatchScope): SummaryModel {
  return modelNamed(models, lease.model);
}

/**
 * Returns the model of that name.
 * @throws VarveError NOT_FOUND if it is not available; nothing was spent then, and the scopes wait
 */
export function modelNamed(models: Models, name: string): SummaryModel {
  const model = models.byName(name);
  if (model !== undefined) return model;
  const message =
    'The planned model is not available. Configure it again, or let its ModelProvider serve the ' +
    'namespace of the tenant.';
  throw new VarveError('NOT_FOUND', message, { details: { model: name } });
}

export function scopeState(digest: Digest, { record, sources }: BatchScope): ScopeState {
  return {
    sourceHash: sourceHashOf(digest, sources),
    sourceCount: sources.length,
    sourceTokens: sumTokens(sources),
    sourceBytes: sources.reduce((sum, source) => sum + source.bytes, 0),
    changes: record.changes,
    nextExpiryAt: nextExpiry(sources),
  };
}

export function sumTokens(sources: readonly Source[]): number {
  return sources.reduce((sum, source) => sum + source.tokens, 0);
}

/**
 * Returns an opaque name for one task of a batch, so that no model sees a person's identifier.
 * `part` is the id of a segment; empty for a scope that is read whole.
 */
export function batchItemId(
  digest: Digest,
  { record, lease, audience }: Omit<BatchScope, 'sources'>,
  part: string,
): string {
  const name = JSON.stringify([lease.batchId, scopeKey(record), audience, part]);
  return digest(name).slice(0, ITEM_ID_DIGITS);
}

function nextExpiry(sources: readonly Source[]): number | null {
  // No spreading here: a scope may have more sources than a call takes arguments.
  return sources.reduce<number | null>((first, { expiresAt }) => earliest(first, expiresAt), null);
}

const PAGE_SIZE = 1_000;
/**
 * Maximum sources of one scope, which are all in memory while it is processed. A larger scope is
 * refused, and the error gives its size; it is never read in part.
 */
export const SOURCES_PER_SCOPE_MAX = 200_000;

/**
 * Returns all live sources of a scope.
 * @throws VarveError CONTENT_TOO_LONG for a scope with too many
 */
export async function readSources(
  scopes: ScopeRecords,
  scope: Scope,
  now: number,
): Promise<readonly Source[]> {
  const sources: Source[] = [];
  for await (const page of sourcePages(scopes, scope, now)) {
    sources.push(...page);
    if (page.length < PAGE_SIZE || sources.length < SOURCES_PER_SCOPE_MAX) continue;
    const most = String(SOURCES_PER_SCOPE_MAX);
    const message = `A ${scope.layer} scope has more than ${most} sources; delete some of them.`;
    throw new VarveError('CONTENT_TOO_LONG', message, {
      details: { layer: scope.layer, sourcesMax: SOURCES_PER_SCOPE_MAX },
    });
  }
  return sources;
}

/** Yields all live sources of a scope, page by page. */
export function sourcePages(
  scopes: ScopeRecords,
  scope: Scope,
  now: number,
): AsyncGenerator<readonly Source[]> {
  return pagesOf<Source>(PAGE_SIZE, (last) =>
    scopes.sources(scope, { after: last?.position ?? null, limit: PAGE_SIZE, now }),
  );
}

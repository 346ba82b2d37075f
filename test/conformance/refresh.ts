/** What a refresh does to a scope, without a model, for tests of how a store keeps it. */
import { sourceHashOf } from '#core/hash.ts';
import type { Store } from '#core/ports/store.ts';
import type { SummaryCommit } from '#core/ports/scope-records.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Scope } from '#core/scope.ts';
import { applyCommit } from '#core/refresh/scope-transitions.ts';
import type { Source } from '#core/sources/source.ts';
import { digest, eventOf, rulesAt, summaryOf } from './samples.ts';

/** Small, so that a scope of some sources takes several pages. */
const PAGE_SOURCES = 3;

/** What a run saw when it began: the record, and the sources at that time. */
export interface Claimed {
  readonly record: ScopeRecord;
  readonly sources: readonly Source[];
}

/** Every live source of a scope, page by page. */
export async function allSources(store: Store, scope: Scope, now: number): Promise<Source[]> {
  const found: Source[] = [];
  for (;;) {
    const after = found.at(-1)?.position ?? null;
    const page = await store.scopes.sources(scope, { after, limit: PAGE_SOURCES, now });
    found.push(...page);
    if (page.length < PAGE_SOURCES) return found;
  }
}

export async function claim(store: Store, scope: Scope, now: number): Promise<Claimed> {
  const record = await store.scopes.get(scope);
  return { record, sources: await allSources(store, scope, now) };
}

/** The commit of a summary that cites every source that was claimed. */
export function commitOf(current: ScopeRecord, claimed: Claimed, now: number): SummaryCommit {
  const { sources } = claimed;
  const cited = new Set(sources.map((source) => source.id));
  const ends = sources.flatMap(({ expiresAt }) => (expiresAt === null ? [] : [expiresAt]));
  const sourceHash = sourceHashOf(digest, sources);
  const scope = applyCommit(
    current,
    {
      sourceHash,
      sourceCount: sources.length,
      sourceTokens: sources.reduce((sum, { tokens }) => sum + tokens, 0),
      sourceBytes: sources.reduce((sum, { bytes }) => sum + bytes, 0),
      changes: claimed.record.changes,
      nextExpiryAt: ends.length === 0 ? null : Math.min(...ends),
      cited,
      generated: true,
    },
    rulesAt(now),
  );
  const { tenant, layer, scopeId, version } = scope;
  const id = `summary-${version}`;
  const event = eventOf(tenant, `event-${layer}-${scopeId}-${version}`);
  if (sources.length === 0) return { summary: null, scope, outcome: 'Emptied', event };
  const made = { id, sourceHash, generatedAt: now, checkedAt: now };
  const summary = summaryOf({ tenant, layer, scopeId }, [...cited], made);
  return { summary, scope, outcome: 'Generated', event };
}

/** Claims and commits with nothing in between. */
export async function refresh(store: Store, scope: Scope, now: number): Promise<SummaryCommit> {
  const claimed = await claim(store, scope, now);
  const commit = commitOf(claimed.record, claimed, now);
  if (!(await store.summaries.commit(commit))) throw new Error('Nobody else wrote to the scope.');
  return commit;
}

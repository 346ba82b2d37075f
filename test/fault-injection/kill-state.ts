/** What a run leaves in the store, without the names that differ from run to run. */
import type { Parts } from '#cli/composition-root.ts';
import { HORIZON_MS } from '#core/refresh/refresh-contract.ts';
import { periodOf, reservedOf } from '#core/budget/budget-account.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { LIMIT_MICRO_DOLLARS, TENANT } from './kill-corpus.ts';

const SCOPES_MAX = 1_000;
const SOURCES_MAX = 1_000;
const ENTRIES_MAX = 1_000;

/** One depth of one summary. */
interface SummaryText {
  readonly scope: string;
  readonly depth: string;
  readonly text: string;
  readonly sourceHash: string;
  /** Content hashes of what it cites, or `gone` for a source that is not there. */
  readonly cited: readonly string[];
}

export interface FinalState {
  readonly texts: readonly SummaryText[];
  /** Scopes with changes, failures or leases left; none after a run that ended well. */
  readonly unsettled: readonly string[];
  /** Micro-dollars. */
  readonly spent: number;
  readonly reserved: number;
  /** The part of the spending that is for calls with an unknown outcome. */
  readonly lost: number;
  readonly lostCalls: number;
  /** Paid answers of which the text was not forgotten. */
  readonly textsKept: number;
}

export async function finalState(parts: Parts): Promise<FinalState> {
  const { store, platform } = parts;
  const scopes = await store.scopes.list(TENANT, SCOPES_MAX);
  const texts = await Promise.all(scopes.map((scope) => textsOf(parts, scope)));
  const budget = { limitTokens: null, limitMicroDollars: LIMIT_MICRO_DOLLARS };
  const account = await store.accounts.get(TENANT, periodOf(platform.clock()), {
    ...budget,
    onExhausted: 'Reject',
  });
  const entries = await store.accounts.entries(TENANT, { limit: ENTRIES_MAX });
  const unknown = entries.filter(({ outcome }) => outcome === 'UnknownOutcome');
  const answers = await Promise.all(
    [...new Set(entries.map(({ batchId }) => batchId))].map((batchId) =>
      store.answers.ofBatch(TENANT, batchId),
    ),
  );
  return {
    texts: texts.flat(),
    unsettled: scopes.filter(isUnsettled).map(nameOf),
    spent: account.spent.microDollars,
    reserved: reservedOf(account).microDollars,
    lost: unknown.reduce((sum, { spent }) => sum + spent.microDollars, 0),
    lostCalls: unknown.length,
    textsKept: answers.flat().filter(({ text }) => text !== null).length,
  };
}

/** Whether nothing is at work, due soon or asked for. */
export async function isSettled({ store, platform }: Parts): Promise<boolean> {
  const soon = platform.clock() + HORIZON_MS;
  const scopes = await store.scopes.list(TENANT, SCOPES_MAX);
  const { wanted, acknowledged } = await store.refreshRequests.get(TENANT);
  const pending = scopes.some(({ lease, dueAt }) => lease !== null || (dueAt ?? Infinity) <= soon);
  return !pending && wanted === acknowledged;
}

/** Ends the pauses after failures, to save time; returns whether there were any. */
export async function endPauses({ store, platform }: Parts): Promise<boolean> {
  const now = platform.clock();
  const scopes = await store.scopes.list(TENANT, SCOPES_MAX);
  const pausing = scopes.filter(
    ({ attempts, lease, dueAt }) => attempts > 0 && lease === null && (dueAt ?? 0) > now,
  );
  for (const scope of pausing) {
    await store.scopes.replace({
      ...scope,
      hold: null,
      dueAt: now,
      version: scope.version + 1,
    });
  }
  return pausing.length > 0;
}

async function textsOf({ store, platform }: Parts, scope: ScopeRecord): Promise<SummaryText[]> {
  const summary = await store.summaries.get(scope, '');
  const page = { after: null, limit: SOURCES_MAX, now: platform.clock() };
  const sources = await store.scopes.sources(scope, page);
  const hashes = new Map(sources.map(({ id, contentHash }) => [id, contentHash]));
  const ids = new Set(summary?.facts.flatMap((fact) => fact.sources));
  const cited = [...ids].map((id) => hashes.get(id) ?? 'gone').toSorted();
  const { sourceHash = '' } = summary ?? {};
  return Object.entries(summary?.depths ?? { none: { text: '' } }).map(([depth, { text }]) => ({
    scope: nameOf(scope),
    depth,
    text,
    sourceHash,
    cited,
  }));
}

function isUnsettled({ changes, attempts, lease, deadLetter }: ScopeRecord): boolean {
  return changes > 0 || attempts > 0 || lease !== null || deadLetter !== null;
}

function nameOf({ layer, scopeId }: ScopeRecord): string {
  return `${layer}/${scopeId}`;
}

/** What the store holds of a tenant beyond its policy. Three conditions are based on it. */
import { shortenToUnits } from '#core/storable-text.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { periodOf } from '#core/budget/budget-account.ts';
import type { Layer } from '#core/layer.ts';
import type { Account } from '#core/records/account.ts';
import type { DreamRound, DreamSchedule } from '#core/records/dream-schedule.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';
import { PROVIDERS_MAX, type ModelProviderRecord } from '#core/records/model-provider.ts';
import type { PolicyRecord, TenantPolicy } from '#core/records/policy.ts';
import {
  readTenantStatus,
  type ReadStatus,
  type StatusWalk,
  type SummariesStatus,
  type TenantStatus,
  type StatusFailure,
} from '#core/refresh/tenant-status.ts';
import type { LastError } from '#crds/status.ts';

/** Milliseconds since the epoch; null if there is none. */
interface RefreshTimes {
  readonly lastRefreshAt: number | null;
  readonly nextRefreshAt: number | null;
}

/** Counts of the scopes of one layer. */
export interface LayerCounts extends RefreshTimes, Pick<StoredTenant, 'fresh' | 'stale'> {
  readonly lastError: LastError | null;
}

/** What the status shows of the last round: how it ended, without the ids that it counted. */
export type ShownRound = Omit<DreamRound, 'counted' | 'startedAt'>;

export interface ShownSchedule extends Pick<DreamSchedule, 'name' | 'nextAt'> {
  readonly last: ShownRound | null;
}

interface StoredDreams {
  readonly schedules: readonly ShownSchedule[];
  /** Whether proposals of the tenant wait for a person. */
  readonly isWaiting: boolean;
}

export interface StoredTenant extends RefreshTimes {
  /** The account of the current period. */
  readonly account: Account;
  /** False while a tenant has scopes that were never counted; times are left out then. */
  readonly isComplete: boolean;
  /** Summaries, by whether they still agree with their sources. */
  readonly fresh: number;
  readonly stale: number;
  /** Dead letters: scopes that failed three times. */
  readonly dead: number;
  /** Scopes that wait because the budget is too small for them. */
  readonly waitingForBudget: number;
  /** Layers without a scope are left out. */
  readonly layers: Readonly<Partial<Record<Layer, LayerCounts>>>;
  /** The latest failure that persists. */
  readonly lastError: LastError | null;
  readonly dreams: StoredDreams;
  /** The providers that the policy names, if the store has them. */
  readonly providers: readonly ModelProviderRecord[];
}

interface StoredTenantContext {
  readonly store: Pick<
    Store,
    'accounts' | 'scopes' | 'summaries' | 'dreamSchedules' | 'proposals' | 'modelProviders'
  >;
  readonly platform: Platform;
  readonly scopeCounts: ScopeCounts;
}

/**
 * Reads what the store holds of a tenant: account, scope records, dreams, providers. One call
 * counts a limited number of scopes; the next call continues with the rest.
 */
export async function readStoredTenant(
  { tenant, policy, hash }: PolicyRecord,
  context: StoredTenantContext,
): Promise<StoredTenant> {
  const { store, platform, scopeCounts } = context;
  const now = platform.clock();
  const account = await store.accounts.get(tenant, periodOf(now), policy.budget);
  // Only workers know which recipe a model has. A changed recipe shows once they have checked.
  const rules = { policy, now, recipeOf: () => null };
  const walk = scopeCounts.take(tenant, hash);
  const read = await readTenantStatus(store, tenant, { ...rules, walk, pause: () => nextTurn() });
  const status = scopeCounts.put(tenant, hash, read);
  const names = providersOf(policy);
  const providers = names.length === 0 ? [] : await store.modelProviders.list(PROVIDERS_MAX);
  return {
    ...(status.isComplete ? timesOf(status) : NO_TIMES),
    account,
    isComplete: status.isComplete,
    fresh: status.fresh,
    stale: status.stale,
    dead: status.deadLetters,
    waitingForBudget: status.waitingForBudget,
    layers: layerCountsOf(status, tenant),
    dreams: await readStoredDreams({ tenant, policy }, store),
    lastError: errorOf(status.failure, tenant),
    providers: providers.filter(({ name }) => names.includes(name)),
  };
}

/** A tenant without dreams costs no read. */
async function readStoredDreams(
  { tenant, policy }: Pick<PolicyRecord, 'tenant' | 'policy'>,
  { dreamSchedules, proposals }: Pick<Store, 'dreamSchedules' | 'proposals'>,
): Promise<StoredDreams> {
  if (policy.dreams === undefined) return { schedules: [], isWaiting: false };
  const timers = await proposals.list(tenant, { limit: 1, state: 'Waiting' });
  const schedules = (await dreamSchedules.list(tenant)).map(shownSchedule);
  return { schedules, isWaiting: timers.length > 0 };
}

function shownSchedule({ name, nextAt, last }: DreamSchedule): ShownSchedule {
  if (last === null) return { name, nextAt, last };
  const { counted: _, ...shown } = last;
  return { name, nextAt, last: shown };
}

/** The next due time of only some scopes would mislead, so it is left out. */
function layerCountsOf(
  { layers, isComplete }: TenantStatus,
  tenant: string,
): StoredTenant['layers'] {
  if (!isComplete) return {};
  return Object.fromEntries(
    Object.entries(layers)
      .filter(([, { scopes }]) => scopes > 0)
      .map(([layer, ofLayer]) => [layer, factsOfLayer(ofLayer, tenant)]),
  ) as Partial<Record<Layer, LayerCounts>>;
}

function factsOfLayer(ofLayer: SummariesStatus, tenant: string): LayerCounts {
  const { fresh, stale, failure } = ofLayer;
  return { ...timesOf(ofLayer), fresh, stale, lastError: errorOf(failure, tenant) };
}

const NO_TIMES: RefreshTimes = { lastRefreshAt: null, nextRefreshAt: null };

function timesOf({ lastRefreshAt, nextDueAt }: SummariesStatus): RefreshTimes {
  return { lastRefreshAt, nextRefreshAt: nextDueAt };
}

/** People read one line of it. */
const REASON_LENGTH_MAX = 200;

/** The message has no number of scopes, since it changes; the table of the command has it. */
function errorOf(failure: StatusFailure | null, tenant: string): StoredTenant['lastError'] {
  if (failure === null) return null;
  const { code, reason, since } = failure;
  if (reason === null) {
    const began = new Date(since).toISOString();
    return { code, message: `Since ${began}. Varve retries it.` };
  }
  const again = `Try again with: varve summaries retry --tenant ${tenant}`;
  return { code, message: `${shortenToUnits(reason, REASON_LENGTH_MAX)} ${again}` };
}

interface Entry {
  /** The hash of the policy that freshness was judged by. */
  readonly hash: string;
  /** Null once the walk is over. */
  readonly rest: StatusWalk | null;
  /** What the last complete walk counted; null if none has ended. */
  readonly whole: TenantStatus | null;
}

/**
 * Counts of tenants with more scopes than one call reads: the counts so far, and the result of the
 * last complete walk over all scopes. Owned by the operator; an entry lasts as long as its tenant
 * is reconciled under the same policy. A tenant that never needed more than one call has no entry.
 */
export class ScopeCounts {
  readonly #entries = new Map<string, Entry>();

  /** Takes out where the next call begins, so that a call that fails starts over. */
  take(tenant: string, hash: string): StatusWalk | null {
    const entry = this.#entries.get(tenant);
    if (entry === undefined) return null;
    if (entry.hash !== hash) {
      this.#entries.delete(tenant);
      return null;
    }
    this.#entries.set(tenant, { ...entry, rest: null });
    return entry.rest;
  }

  /** Stores a count. Returns what to report of the tenant. */
  put(tenant: string, hash: string, { rest, ...counted }: ReadStatus): TenantStatus {
    const entry = this.#entries.get(tenant);
    if (rest === null) {
      if (entry !== undefined) this.#entries.set(tenant, { hash, rest, whole: counted });
      return counted;
    }
    const whole = entry?.whole ?? null;
    this.#entries.set(tenant, { hash, rest, whole });
    return whole === null ? counted : worseOf(whole, counted);
  }

  /** Whether scopes of a tenant are left to count. */
  isUnderWay(tenant: string): boolean {
    return (this.#entries.get(tenant)?.rest ?? null) !== null;
  }

  delete(tenant: string): void {
    this.#entries.delete(tenant);
  }
}

/** The last complete walk, plus the problems that the current walk has found since. */
function worseOf(whole: TenantStatus, part: TenantStatus): TenantStatus {
  const stale = Math.max(whole.stale, part.stale);
  return {
    ...whole,
    stale,
    fresh: Math.max(0, whole.scopes - stale),
    deadLetters: Math.max(whole.deadLetters, part.deadLetters),
    waitingForBudget: Math.max(whole.waitingForBudget, part.waitingForBudget),
    failure: whole.failure ?? part.failure,
  };
}

/** Returns the names of the providers that a policy takes models from, without repetition. */
export function providersOf({ models }: TenantPolicy): readonly string[] {
  const names = [models?.standard?.provider, models?.economy?.provider];
  return [...new Set(names.filter((name) => name !== undefined))];
}

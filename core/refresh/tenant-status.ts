/**
 * Computes the state of a tenant's summaries from its scope records, for operators. Reads bounded
 * pages: a tenant with more scopes than one call reads is counted over several calls. Counts cover
 * scopes that have a summary or wait for one, and find the most common reason why one waits.
 */
import { earliest } from './scope-transitions.ts';
import { waitsForBudget, waitsForModel } from './retries-and-dead-letters.ts';
import { nextCheckAt } from './when-to-refresh.ts';
import { forEachLayer, LAYERS, type Layer } from '../layer.ts';
import type { LayerPolicy, TenantPolicy } from '../records/policy.ts';
import type { ScopeRecord } from '../records/scope-record.ts';
import type { Summary } from '../records/summary.ts';
import { EXTRACTIVE_NAME } from './model-choice.ts';
import { freshnessOf, isFoundEmpty, type Dated } from './staleness.ts';
import type { ScopeRecords, SummaryRecords } from '../ports/scope-records.ts';
import { scopePages, type ScopePlace } from './record-pages.ts';

export interface SummariesStatus {
  readonly scopes: number;
  readonly fresh: number;
  readonly stale: number;
  /** When a summary was last made; null if never. */
  readonly lastRefreshAt: number | null;
  /** When a refresh will check a scope next, possibly in the past; null if nothing is due. */
  readonly nextDueAt: number | null;
  /** Scopes that are dead letters until the next write or a retry. */
  readonly deadLetters: number;
  /** Scopes that wait for budget, which is no failure. */
  readonly waitingForBudget: number;
  readonly failure: StatusFailure | null;
}

export interface TenantStatus extends SummariesStatus {
  readonly layers: Readonly<Record<Layer, SummariesStatus>>;
  /** False if scopes remain to be read: the counts are then partial. */
  readonly isComplete: boolean;
}

export interface StatusRules {
  readonly policy: Pick<TenantPolicy, 'layers'>;
  readonly now: number;
  /** Returns the recipe that a layer should have; null if the reader does not know it. */
  readonly recipeOf: (layer: Layer) => string | null;
}

/** Freshness of a scope by its record; `Unsure` if only its summary can decide. */
type RecordFreshness = 'Fresh' | 'Stale' | 'Unsure';

/**
 * Returns whether a scope has a summary or waits for one; a scope with nothing to summarize does
 * not.
 */
function isSummarized(record: ScopeRecord): boolean {
  const { sourceCount, generatedAt } = record;
  return generatedAt !== null || (sourceCount > 0 && !isFoundEmpty(record));
}

/**
 * Returns the freshness of a scope by its record alone, with the same chain that answers readers.
 * With writes since the summary it is `Unsure`, because one write may have undone another, and with
 * a summary that may only stand in for one of the model.
 */
function recordFreshness(record: ScopeRecord, rules: StatusRules): RecordFreshness {
  const { generatedAt, recipeHash, checkedAt, sourceHash } = record;
  if (generatedAt === null) return 'Stale';
  const expected = rules.recipeOf(record.layer) ?? recipeHash ?? '';
  const summary: Dated = {
    sourceHash,
    recipeHash: recipeHash ?? expected,
    generatedAt,
    checkedAt: checkedAt ?? generatedAt,
  };
  if (freshness(record, summary, rules) === 'Stale') return 'Stale';
  return record.changes === 0 && !mayStandIn(record, rules) ? 'Fresh' : 'Unsure';
}

/** Returns the freshness of a scope by its summary, as readers see it. */
function summaryFreshness(
  record: ScopeRecord,
  summary: (Dated & Pick<Summary, 'model'>) | null,
  rules: StatusRules,
): 'Fresh' | 'Stale' {
  if (summary === null) return 'Stale';
  if (mayStandIn(record, rules) && summary.model === EXTRACTIVE_NAME) return 'Stale';
  return freshness(record, summary, rules);
}

/**
 * Whether the summary may be the text that stands in for a model without an answer. Its recipe is
 * not the expected one, but a reader that does not know the expected one cannot see that.
 */
function mayStandIn(record: ScopeRecord, { recipeOf }: StatusRules): boolean {
  if (recipeOf(record.layer) !== null) return false;
  return record.deadLetter !== null || waitsForModel(record);
}

/** Collects scopes; the status of the scopes so far can be read at any time. */
function statusFold() {
  const whole = summariesFold();
  const byLayer = new Map(LAYERS.map((layer) => [layer, summariesFold()]));
  return {
    /** Adds a scope. `now` is when it was read, because a walk over many scopes takes a while. */
    add(record: ScopeRecord, fresh: 'Fresh' | 'Stale', now: number): void {
      whole.add(record, fresh, now);
      byLayer.get(record.layer)?.add(record, fresh, now);
    },
    status(isComplete: boolean): TenantStatus {
      const layers = forEachLayer((layer) => (byLayer.get(layer) ?? summariesFold()).status());
      return { ...whole.status(), layers, isComplete };
    },
  };
}

function summariesFold() {
  const counts = { fresh: 0, stale: 0, deadLetters: 0, waitingForBudget: 0 };
  let lastRefreshAt: number | null = null;
  let nextDueAt: number | null = null;
  const failures = createFailureCounts();
  return {
    add(record: ScopeRecord, fresh: 'Fresh' | 'Stale', now: number): void {
      const { deadLetter, hold } = record;
      counts[fresh === 'Fresh' ? 'fresh' : 'stale'] += 1;
      lastRefreshAt = latest(lastRefreshAt, record.generatedAt);
      nextDueAt = earliest(nextDueAt, nextCheckAt(record));
      if (deadLetter !== null) {
        counts.deadLetters += 1;
        failures.add(deadLetter.code, deadLetter.at, deadLetter);
      } else if (hold !== null && hold.until > now) {
        if (waitsForBudget(record)) counts.waitingForBudget += 1;
        else failures.add(hold.code, hold.since, null);
      }
    },
    status: (): SummariesStatus => ({
      ...counts,
      lastRefreshAt,
      nextDueAt,
      scopes: counts.fresh + counts.stale,
      failure: failures.mostCommon(),
    }),
  };
}

function freshness(record: ScopeRecord, summary: Dated, rules: StatusRules): 'Fresh' | 'Stale' {
  const policy: LayerPolicy = rules.policy.layers[record.layer];
  const recipeHash = rules.recipeOf(record.layer) ?? summary.recipeHash;
  return freshnessOf({ summary, scope: record, recipeHash, policy, now: rules.now }).kind;
}

function latest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

/** Maximum scopes per call: some hundred milliseconds. */
const SCOPES_PER_LOOK = 20_000;
/** Maximum summaries read per call, for scopes with new writes; further ones count as stale. */
const SUMMARIES_PER_LOOK = 200;

/** State of a walk over all scopes of a tenant: counts and position. Valid for one call. */
export interface StatusWalk {
  readonly fold: ReturnType<typeof statusFold>;
  readonly after: ScopePlace;
}

interface StatusQuery extends StatusRules {
  /** Where the last call ended; null or absent to begin with the first scope. */
  readonly walk?: StatusWalk | null;
  readonly scopesMax?: number;
  /** Awaited between pages, so that other work proceeds even if the store answers synchronously. */
  readonly pause?: () => Promise<unknown>;
}

export interface StatusSource {
  readonly scopes: Pick<ScopeRecords, 'list'>;
  readonly summaries: Pick<SummaryRecords, 'get'>;
}

/** The counts since the walk began. */
export interface ReadStatus extends TenantStatus {
  /** For the next call; null once every scope is counted. */
  readonly rest: StatusWalk | null;
}

/**
 * Reads at most `scopesMax` scope records and 200 summaries, but no memories and no sources. Do
 * not continue a walk after a failed call: part of it may already be counted.
 */
export async function readTenantStatus(
  { scopes, summaries }: StatusSource,
  tenant: string,
  { scopesMax = SCOPES_PER_LOOK, walk = null, pause, ...rules }: StatusQuery,
): Promise<ReadStatus> {
  const fold = walk?.fold ?? statusFold();
  let after = walk?.after;
  let [looked, read] = [0, 0];
  const freshnessOf = async (record: ScopeRecord): Promise<'Fresh' | 'Stale'> => {
    const freshness = recordFreshness(record, rules);
    if (freshness !== 'Unsure') return freshness;
    if (read >= SUMMARIES_PER_LOOK) return 'Stale';
    read += 1;
    return summaryFreshness(record, await summaries.get(record, ''), rules);
  };
  for await (const page of scopePages(scopes, tenant, after)) {
    const counted = page.slice(0, scopesMax - looked);
    for (const record of counted.filter(isSummarized)) {
      fold.add(record, await freshnessOf(record), rules.now);
    }
    looked += counted.length;
    after = placeOf(counted.at(-1)) ?? after;
    if (counted.length < page.length && after !== undefined) {
      return { ...fold.status(false), rest: { fold, after } };
    }
    await pause?.();
  }
  return { ...fold.status(true), rest: null };
}

/** Drops the rest of the record, which would otherwise stay in memory until the next call. */
function placeOf(record: ScopePlace | undefined): ScopePlace | undefined {
  return record === undefined ? undefined : { layer: record.layer, scopeId: record.scopeId };
}

/** The most codes to count, more than the error table has; others are ignored. */
const CODES_MAX = 64;

export interface StatusFailure {
  readonly code: string;
  /** Reason of the latest dead letter with the code; null if all scopes will be retried. */
  readonly reason: string | null;
  readonly scopes: number;
  /** When the current series of such failures began. */
  readonly since: number;
}

export function createFailureCounts() {
  const byCode = new Map<string, StatusFailure & { readonly at: number }>();
  return {
    /** Adds a scope with a code and its start time, and its dead letter if it has one. */
    add(code: string, since: number, letter: ScopeRecord['deadLetter']): void {
      const known = byCode.get(code);
      if (known === undefined && byCode.size >= CODES_MAX) return;
      const before = known ?? { code, reason: null, scopes: 0, since, at: -1 };
      const isLatest = letter !== null && letter.at > before.at;
      const last = isLatest ? { reason: letter.reason, at: letter.at } : {};
      const first = Math.min(before.since, since);
      byCode.set(code, { ...before, ...last, since: first, scopes: before.scopes + 1 });
    },
    /** Ties go to the first by name, so that the result is stable. */
    mostCommon(): StatusFailure | null {
      const [first] = [...byCode.values()].toSorted(
        (a, b) => b.scopes - a.scopes || (a.code < b.code ? -1 : 1),
      );
      if (first === undefined) return null;
      const { code, reason, scopes, since } = first;
      return { code, reason, scopes, since };
    },
  };
}

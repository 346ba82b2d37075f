/** Removes the text of one session's old turns, as far as the session is ready for it. */
import { nextVersion } from '#core/sessions/session-changes.ts';
import { addTotals } from '#core/add-totals.ts';
import { VarveError } from '#core/errors.ts';
import { pagesOf } from '#core/chunks-and-pages.ts';
import { type ScopeRecords, SEGMENTS_PER_CALL_MAX } from '#core/ports/scope-records.ts';
import type { Store } from '#core/ports/store.ts';
import type { KeptTurn, OldSession } from '#core/ports/turn-records.ts';
import type { WriteRules } from '#core/ports/write-rules-and-outcomes.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Segment, Fact, Summary } from '#core/records/summary.ts';
import type { Turn } from '#core/records/turn.ts';
import {
  COMPACTED_PER_CALL_MAX,
  compactedTurn,
  freedBytes,
} from '#core/retention/compacted-turn.ts';
import { keptWords } from '#core/retention/kept-words.ts';
import { flushedTurns, retentionMsOf, retentionOf } from '#core/retention/when-to-compact.ts';
import type { Scope } from '#core/scope.ts';
import type { Source } from '#core/sources/source.ts';
import { GENERAL } from '#core/variants/audience.ts';
import { readSources, sourcePages, SOURCES_PER_SCOPE_MAX } from '../load-batch.ts';
import type { RefreshPorts } from '../refresh-ports.ts';
import { duePolicyOf } from '#core/refresh/when-to-refresh.ts';

/** Sources of one scope to read: fifty times what a summary is made of. */
const SOURCES_READ_MAX = 10_000_000;

interface Citing {
  readonly record: ScopeRecord;
  readonly facts: readonly Fact[];
  /** Ids of the turns whose text is to go. */
  readonly ids: ReadonlySet<string>;
  readonly now: number;
}

/**
 * Returns the sources that decide what stays; none if no fact cites one of the turns. For a scope
 * with too many sources to hold in memory, only those that such facts cite: names that only other
 * sources mention are unknown then.
 * @throws VarveError CONTENT_TOO_LONG beyond ten million sources
 */
async function citedSources(
  scopes: ScopeRecords,
  { record, facts, ids, now }: Citing,
): Promise<readonly Source[]> {
  const citing = facts.filter(({ sources }) => sources.some((id) => ids.has(id)));
  if (citing.length === 0) return [];
  if (record.sourceCount < SOURCES_PER_SCOPE_MAX) return readSources(scopes, record, now);
  const cited = new Set(
    citing.flatMap(({ sources, derived }) => [...sources, ...(derived?.ids ?? [])]),
  );
  return readSome(scopes, { record, cited, now });
}

async function readSome(
  scopes: ScopeRecords,
  { record, cited, now }: { record: ScopeRecord; cited: ReadonlySet<string>; now: number },
): Promise<readonly Source[]> {
  const sources: Source[] = [];
  let read = 0;
  for await (const page of sourcePages(scopes, record, now)) {
    sources.push(...page.filter(({ id }) => cited.has(id)));
    if (sources.length === cited.size) break;
    read += page.length;
    if (read < SOURCES_READ_MAX) continue;
    throw new VarveError('CONTENT_TOO_LONG', 'A session has too many sources to be compacted.', {
      details: { sourcesMax: SOURCES_READ_MAX },
    });
  }
  return sources;
}

/** Conflicting writes tolerated before a session is left to the next run. */
const TRIES_MAX = 3;
/** Pages of one session; the next run takes the rest of a longer one. */
const WRITES_MAX = 1_000;

export type RetentionPorts = Pick<RefreshPorts, 'store' | 'platform' | 'metrics'>;

interface SessionRequest {
  readonly policy: TenantPolicy;
  readonly session: OldSession;
  readonly dryRun: boolean;
}

export interface SessionOutcome {
  readonly turns: number;
  readonly quotes: number;
  readonly bytes: number;
  /** How many of the turns no summary covers. */
  readonly unsummarized: number;
  /** Why some of its old turns keep their text; null if none does. */
  readonly staying: 'UnderWay' | 'NotCovered' | 'NotFlushed' | 'Changed' | 'Failed' | null;
}

const NOTHING = { turns: 0, quotes: 0, bytes: 0, unsummarized: 0 } as const;

/**
 * Like `compactSession`, but logs and skips what a retry would not fix, so that it does not block
 * the sessions behind it.
 * @throws VarveError if it is retryable
 */
export async function tryCompactSession(
  ports: RetentionPorts,
  request: SessionRequest,
): Promise<SessionOutcome> {
  try {
    return await compactSession(ports, request);
  } catch (error) {
    if (!(error instanceof VarveError) || error.retryable) throw error;
    const { tenant } = request.policy;
    ports.platform.log.warn({ tenant, error }, 'failed to compact session; its old turns stay');
    return { ...NOTHING, staying: 'Failed' };
  }
}

/**
 * Compacts one session. What stays is decided on the scope as it was read, and written only while
 * the scope is unchanged.
 */
async function compactSession(
  ports: RetentionPorts,
  request: SessionRequest,
): Promise<SessionOutcome> {
  let done: Omit<SessionOutcome, 'staying'> = NOTHING;
  let staying: SessionOutcome['staying'] = null;
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const more = await compactOnce(ports, request);
    done = addTotals(done, more);
    ({ staying } = more);
    if (staying !== 'Changed') break;
  }
  return { ...done, staying };
}

async function compactOnce(
  ports: RetentionPorts,
  { policy, session, dryRun }: SessionRequest,
): Promise<SessionOutcome> {
  const { store, platform } = ports;
  const { tenant } = policy;
  const { sessionId } = session;
  const scope = { tenant, layer: 'session', scopeId: sessionId } as const;
  const now = platform.clock();
  const retentionMs = retentionMsOf(policy);
  const record = await store.scopes.get(scope);
  const { summary, facts } = await scopeFacts(store, scope);
  const decision = retentionOf(record, summary, { retentionMs, now });
  if (decision.kind === 'Wait') return { ...NOTHING, staying: 'UnderWay' };
  const [latest] = await store.turns.latest({ tenant, sessionId }, 1);
  const coveredTo = (latest?.sequence ?? 0) - decision.uncovered;
  const old = await oldTurns(ports, { tenant, sessionId, until: now - retentionMs });
  const covered = decision.isOverdue ? old : old.filter(({ sequence }) => sequence <= coveredTo);
  const known = await store.sessions.get(tenant, sessionId);
  const turns = flushedTurns(covered, known, { retentionMs, now });
  const staying = stayingOf({ old, covered, turns });
  if (turns.length === 0) return { ...NOTHING, staying };
  const ids = new Set(turns.map(({ id }) => id));
  const kept = keptWords(facts, await citedSources(store.scopes, { record, facts, now, ids }), ids);
  const going = turns.map(({ id, sequence }) => ({ id, sequence, quotes: kept.get(id) ?? [] }));
  if (dryRun) return { ...countsOf(going, coveredTo), bytes: bytesOf(turns, going), staying };
  const rules = { policy: duePolicyOf(policy, 'session'), now };
  const { done, bytes, isWhole } = await write(ports, { record, turns: going }, rules);
  if (done.length > 0) await store.sessions.change(tenant, sessionId, nextVersion);
  return { ...countsOf(done, coveredTo), bytes, staying: isWhole ? staying : 'Changed' };
}

function stayingOf({
  old,
  covered,
  turns,
}: Record<'old' | 'covered' | 'turns', readonly Turn[]>): SessionOutcome['staying'] {
  if (covered.length < old.length) return 'NotCovered';
  return turns.length < covered.length ? 'NotFlushed' : null;
}

async function oldTurns(
  { store }: RetentionPorts,
  { until, ...session }: { tenant: string; sessionId: string; until: number },
): Promise<readonly Turn[]> {
  const limit = COMPACTED_PER_CALL_MAX;
  const read = (last: Turn | undefined) =>
    store.turns.old(session, { until, after: last?.sequence ?? 0, limit });
  return (await Array.fromAsync(pagesOf(limit, read, WRITES_MAX))).flat();
}

interface Written {
  readonly done: readonly KeptTurn[];
  readonly bytes: number;
  /** False if another process wrote to the session, or works on it, before everything was done. */
  readonly isWhole: boolean;
}

/** A store may do only part of a call; the rest is requested again. */
async function write(
  { store }: RetentionPorts,
  { record, turns }: { record: ScopeRecord; turns: readonly KeptTurn[] },
  rules: WriteRules,
): Promise<Written> {
  const done: KeptTurn[] = [];
  let bytes = 0;
  let left = turns;
  let scope = record;
  while (left.length > 0) {
    const part = left.slice(0, COMPACTED_PER_CALL_MAX);
    const some = await store.turns.compact({ scope, turns: part }, rules);
    if (some === null) return { done, bytes, isWhole: false };
    done.push(...some.turns);
    bytes += some.bytes;
    scope = some.scope;
    // Turns that this run compacted, or another process before it.
    const gone = new Set((some.turns.length > 0 ? some.turns : part).map(({ id }) => id));
    left = left.filter(({ id }) => !gone.has(id));
  }
  return { done, bytes, isWhole: true };
}

function countsOf(turns: readonly KeptTurn[], coveredTo: number) {
  return {
    turns: turns.length,
    quotes: turns.reduce((sum, { quotes }) => sum + quotes.length, 0),
    unsummarized: turns.filter(({ sequence }) => sequence > coveredTo).length,
  };
}

/** Bytes of text that would go. */
function bytesOf(turns: readonly Turn[], going: readonly KeptTurn[]): number {
  return going.reduce((sum, kept, at) => {
    const turn = turns[at];
    return turn === undefined ? sum : sum + freedBytes(turn, compactedTurn(turn, kept, turn.at));
  }, 0);
}

/** Pages of segments: more than the largest scope has. */
const SCOPE_PAGES_MAX = 1_000;

interface ScopeFacts {
  /** The general summary; null if there is none. */
  readonly summary: Summary | null;
  readonly facts: readonly Fact[];
}

/** Every fact that rests on the sources of a session: in its summaries and in its segments. */
async function scopeFacts(store: Store, scope: Scope): Promise<ScopeFacts> {
  const summary = await store.summaries.get(scope, GENERAL);
  const facts = [...(summary?.facts ?? [])];
  for (const { audience } of await store.variants.ofScope(scope)) {
    facts.push(...((await store.summaries.get(scope, audience))?.facts ?? []));
  }
  const limit = SEGMENTS_PER_CALL_MAX;
  const read = (last: Segment | undefined) =>
    store.segments.list(scope, { after: last?.segmentId ?? '', limit });
  for await (const page of pagesOf(limit, read, SCOPE_PAGES_MAX)) {
    facts.push(...page.flatMap((segment) => segment.facts));
  }
  return { summary, facts: eachOnce(facts) };
}

/** Removes duplicates: a root repeats facts of its leaves, and variants repeat general facts. */
function eachOnce(facts: readonly Fact[]): readonly Fact[] {
  return [...new Map(facts.map((fact) => [JSON.stringify(fact), fact])).values()];
}

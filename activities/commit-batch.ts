/**
 * Activity: turns stored answers into summaries. Each scope is handled separately: its facts are
 * grounded in the current sources, composed into the depths, and written by compare-and-set on the
 * version of its scope. An unfinished large scope is released and due at once. Scopes committed
 * before a crash are not touched again.
 */
import type { ErrorCode } from '#core/error-codes.ts';
import type { Refusal } from '#core/grounding/grounding.ts';
import { policyToRefreshBy } from '#core/policy/policy-in-force.ts';
import { confirmedBy } from '#core/grounding/doubt-question.ts';
import { isAnswer } from '#core/prompt/parse-answer.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { ItemJudgment } from '#core/refresh/judge-summary-facts.ts';
import { HOLD_MS_MAX, duePolicyOf } from '#core/refresh/when-to-refresh.ts';
import type { CommitReport } from '#core/refresh/refresh-contract.ts';
import {
  applyAvailable,
  applyOutdated,
  applyRelease,
  applyUnavailable,
  waitsForModel,
  applyFailure,
  hasOutlasted,
} from '#core/refresh/retries-and-dead-letters.ts';
import { hasText } from '#core/sources/source.ts';
import { changeScopes } from '#memory/change-many-scopes.ts';
import {
  loadBatch,
  reloadScope,
  scopeState,
  type BatchKey,
  type BatchScope,
} from './load-batch.ts';
import {
  commitSummary,
  embedOnce,
  type Embed,
  summaryOf,
  readAnswers,
  factsFromAnswers,
  type Answers,
  type MadeFacts,
  type ScopeResult,
} from './answers-to-summary.ts';
import {
  writeFailedScope,
  type FallbackRules,
  releaseBatch,
  writeRelease,
} from './release-batch.ts';
import type { ActivityCall, RefreshPorts } from './refresh-ports.ts';
import { countFacts, countGeneration, countDeadLetter } from './refresh-metrics.ts';
import { planScope } from './plan-segments.ts';
import { unlessErased } from './write-unless-erased.ts';
import { markVariants } from './variants/variant-activities.ts';

/** Conflicting writes tolerated before a scope is left to the next claim. */
const COMMIT_TRIES_MAX = 8;

type ItemOutcome = keyof CommitReport;

interface Commit {
  readonly answers: Answers;
  readonly policy: TenantPolicy;
  readonly embed: Embed;
  readonly call: ActivityCall;
  /** Why some scopes have no answer. */
  readonly failure: ErrorCode | undefined;
  /** Names of the models whose summaries were committed. */
  readonly answeredBy: Set<string>;
}

export async function commitBatch(
  given: RefreshPorts,
  { failure, ...batch }: BatchKey & { readonly failure?: ErrorCode },
  call: ActivityCall,
): Promise<CommitReport> {
  const ports = await unlessErased(given, batch.tenant);
  const { store } = ports;
  const report = { generated: 0, emptied: 0, refused: 0, lost: 0, advanced: 0 };
  const scopes = await loadBatch(ports, batch);
  const stored = await store.answers.ofBatch(batch.tenant, batch.batchId);
  const answers = readAnswers(stored, confirmedBy(ports.platform.digest, stored));
  const policy = await policyToRefreshBy(store.policies, batch.tenant);
  if (policy === null) {
    await releaseBatch(ports, { ...batch, code: 'FORBIDDEN' }, call);
    return { ...report, lost: scopes.length };
  }
  const answeredBy = new Set<string>();
  for (const scope of scopes) {
    const embed = embedOnce(ports, call);
    const commit = { answers, policy, embed, call, failure, answeredBy };
    report[await commitScope(ports, scope, commit)] += 1;
  }
  await endOutages(ports, { tenant: batch.tenant, policy, answeredBy });
  await store.answers.close(batch.tenant, batch.batchId);
  return report;
}

/**
 * Writes a summary only while its scope has the sources that the summary was grounded in. After a
 * concurrent write it is grounded again, since a source that it cites may be deleted.
 */
async function commitScope(
  ports: RefreshPorts,
  scope: BatchScope,
  commit: Commit,
): Promise<ItemOutcome> {
  let seen: BatchScope | null = scope;
  for (let tries = 0; tries < COMMIT_TRIES_MAX && seen !== null; tries += 1) {
    const outcome: ItemOutcome | null = await tryCommit(ports, seen, commit);
    if (outcome === 'generated') {
      // Its variants are due, and scopes that wait for the same model resume.
      await markVariants(ports, commit.policy, seen.record);
      if (waitsForModel(seen.record)) await resume(ports, seen.record, applyAvailable);
    }
    if (outcome !== null) return outcome;
    seen = await reloadScope(ports, seen);
  }
  return 'lost';
}

/** Null if the scope changed after its sources were read. */
async function tryCommit(
  ports: RefreshPorts,
  scope: BatchScope,
  commit: Commit,
): Promise<ItemOutcome | null> {
  if (!scope.sources.some(hasText)) {
    // Every source was deleted, is held back, or was compacted before the summary was made.
    return emptied(ports, scope, { ...commit, state: scopeState(ports.platform.digest, scope) });
  }
  const result = await factsFromAnswers(ports, scope, commit);
  if (result.kind === 'Made') return commitMade(ports, scope, { ...commit, made: result.made });
  if (result.kind === 'Empty') return emptied(ports, scope, { ...commit, state: result.state });
  if (result.kind === 'Refused')
    return refuseAnswer(ports, scope, { ...commit, judged: result.judged });
  if (result.kind === 'Outdated' || (commit.failure !== undefined && !result.begun)) {
    return (await giveBack(ports, scope, { ...commit, result })) ? 'lost' : null;
  }
  return goOnLater(ports, scope, commit);
}

/** Leaves the scope without a summary; null if it changed after its sources were read. */
async function emptied(
  ports: RefreshPorts,
  scope: BatchScope,
  { policy, state }: { readonly policy: TenantPolicy; readonly state: MadeFacts['state'] },
): Promise<ItemOutcome | null> {
  return (await commitSummary(ports, scope, { policy, summary: null, state })) ? 'emptied' : null;
}

/** False if the scope changed after its sources were read. */
async function giveBack(
  ports: RefreshPorts,
  scope: BatchScope,
  { result, policy, failure: code, ...call }: Commit & { result: ScopeResult },
): Promise<boolean> {
  const { record } = scope;
  if (result.kind !== 'Outdated' && code !== undefined) {
    return (await writeRelease(ports, scope, { code, policy, ...call })) !== null;
  }
  const now = ports.platform.clock();
  return ports.store.scopes.replace(applyOutdated(record, duePolicyOf(policy, record.layer), now));
}

/** Gives back a large scope that made progress: the rest is claimed next, or after a pause. */
async function goOnLater(
  { platform, store }: RefreshPorts,
  scope: BatchScope,
  { policy, failure }: Commit,
): Promise<ItemOutcome | null> {
  const now = platform.clock();
  if (failure !== undefined) {
    const paused = { ...applyUnavailable(scope.record, now, failure), attempts: 0 };
    return (await store.scopes.replace(paused)) ? 'advanced' : null;
  }
  // Backdate the due mark by at least one batch window, so that no step opens a window of its own.
  const { batchWindowMs } = policy.layers[scope.record.layer];
  const dueAt = Math.max(0, Math.min(scope.record.dueAt ?? now, now - batchWindowMs));
  const released = { ...applyRelease(scope.record, dueAt), attempts: 0 };
  return (await store.scopes.replace(released)) ? 'advanced' : null;
}

async function commitMade(
  ports: RefreshPorts,
  scope: BatchScope,
  { made, ...commit }: Commit & { made: MadeFacts },
): Promise<ItemOutcome | null> {
  const summary = await summaryOf(ports, scope, { ...commit, made });
  if (!(await commitSummary(ports, scope, { ...commit, summary, state: made.state }))) return null;
  countGeneration(ports.metrics, summary, scope.lease);
  countFacts(ports.metrics, { kept: summary.facts.length, dropped: summary.droppedFacts });
  await forgetSegments(ports, scope, made);
  commit.answeredBy.add(summary.model);
  return 'generated';
}

/** Scopes that a commit searches for one that waits for its model. */
const WAITING_SEEN_MAX = 200;

/** Ends a model's long outage at its first answer, also for scopes that have not retried yet. */
async function endOutages(
  ports: RefreshPorts,
  {
    tenant,
    policy,
    answeredBy,
  }: { tenant: string; policy: TenantPolicy; answeredBy: ReadonlySet<string> },
): Promise<void> {
  const { store, platform, models } = ports;
  if ([...answeredBy].every((name) => name === models.extractive.name)) return;
  const now = platform.clock();
  const isBack = (record: ScopeRecord): boolean =>
    hasOutlasted(record, now) &&
    answeredBy.has(models.ofClass(policy.layers[record.layer].modelClass).name);
  const soon = { until: now + HOLD_MS_MAX, now, limit: WAITING_SEEN_MAX };
  if (!(await store.scopes.due(tenant, soon)).some(isBack)) return;
  await resume(ports, { tenant }, (record) => (isBack(record) ? applyAvailable(record) : record));
}

/** Resumes scopes that waited for a model, because the model answers again. */
async function resume(
  { store, platform }: RefreshPorts,
  { tenant }: Pick<ScopeRecord, 'tenant'>,
  change: (record: ScopeRecord) => ScopeRecord,
): Promise<void> {
  const resumed = await changeScopes({ store }, { tenant }, change);
  if (resumed > 0) platform.log.info({ tenant, resumed }, 'model answers again; scopes resumed');
}

/**
 * Runs after a commit: until then, recovery from a crash may need the last summary's segments. A
 * scope that is read whole may have been segmented before; only a first summary has no predecessor.
 */
async function forgetSegments(
  ports: RefreshPorts,
  scope: BatchScope,
  { segments, model }: Pick<MadeFacts, 'segments' | 'model'>,
): Promise<void> {
  const kept = [...segments, ...(await paidSegments(ports, scope, model))];
  if (kept.length === 0 && scope.record.generatedAt === null) return;
  await ports.store.segments.keepOnly(scope.record, kept);
}

/**
 * Segments of the planned model to keep when a fallback made the summary: deleting them would mean
 * paying for them again.
 */
async function paidSegments(
  ports: RefreshPorts,
  scope: BatchScope,
  madeBy: string,
): Promise<readonly string[]> {
  const planned = ports.models.byName(scope.lease.model);
  if (planned === undefined || planned.name === madeBy) return [];
  const { plan } = await planScope(ports, scope, planned);
  return plan.kind === 'Tree' ? [...plan.known.keys()] : [];
}

interface Refused extends FallbackRules {
  readonly answers: Answers;
  readonly judged: Pick<ItemJudgment, 'facts' | 'dropped'>;
}

/**
 * Records why an answer was refused; the previous summary stays. A scope without one gets the
 * extractive summary at once. After the last attempt the scope is a dead letter: if it has no
 * summary of a model, the extractive one is marked stale with the reason. Null if the scope changed
 * after its sources were read.
 */
async function refuseAnswer(
  ports: RefreshPorts,
  scope: BatchScope,
  { judged, answers, ...rules }: Refused,
): Promise<'refused' | null> {
  const { store, platform } = ports;
  const { record } = scope;
  const { facts, dropped } = judged;
  const reason = refusalOf(facts, answers);
  const now = platform.clock();
  const failed = applyFailure(record, { code: 'MODEL_OUTPUT_INVALID', reason }, now);
  if (!(await writeFailedScope(ports, scope, { ...rules, failed }))) return null;
  countFacts(ports.metrics, { kept: facts.length, dropped });
  countDeadLetter(ports.metrics, failed);
  await store.events.append({
    tenant: record.tenant,
    id: platform.newId(),
    at: now,
    type: 'memory_summary_refused',
    attributes: { layer: record.layer, reason, kept: facts.length, dropped: dropped.length },
  });
  return 'refused';
}

function refusalOf(facts: ItemJudgment['facts'], answers: Answers): Refusal {
  if (facts.length > 0) return 'LowGrounding';
  const isRead = answers.some(({ stored }) => isAnswer(stored.text ?? ''));
  return isRead ? 'NoGroundedFact' : 'AnswerNotJson';
}

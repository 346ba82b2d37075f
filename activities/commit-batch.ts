/**
 * Activity: makes summaries of a stored answer. Each item is judged by itself: its facts are
 * grounded in the sources as they are now, composed into the depths, and written by compare-and-set
 * on the version of its scope. Items committed before a crash are not touched again.
 */
import { parseAnswer, type AnswerFact } from '#core/answer.ts';
import { citedIds } from '#core/claim.ts';
import { composeDepths } from '#core/compose.ts';
import type { CommitReport } from '#core/contract.ts';
import { VarveError } from '#core/errors.ts';
import { groundFacts, type Grounded, type Refusal } from '#core/grounding.ts';
import type { TenantPolicy } from '#core/policy.ts';
import { costOf, shareOf } from '#core/price.ts';
import type { StoredAnswer } from '#core/records/answer.ts';
import type { EventRecord } from '#core/records/event.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Summary } from '#core/records/summary.ts';
import { applyCommit, NO_SOURCES } from '#core/scope-change.ts';
import { applyFailure } from '#core/scope-failure.ts';
import { duePolicyOf, policyInForce } from '#core/tenant-policy.ts';
import { loadBatch, reloadScope, type BatchScope } from './batch.ts';
import type { ActivityCall, RefreshPorts } from './refresh-ports.ts';

/** Writers that may come in between before an item is left to the next claim. */
const COMMIT_TRIES_MAX = 8;

type ItemOutcome = keyof CommitReport;

interface Commit {
  readonly answer: StoredAnswer;
  readonly policy: TenantPolicy;
  readonly call: ActivityCall;
}

export async function commitBatch(
  ports: RefreshPorts,
  batch: { tenant: string; batchId: string },
  call: ActivityCall,
): Promise<CommitReport> {
  const { store } = ports;
  const report = { generated: 0, emptied: 0, refused: 0, lost: 0 };
  const scopes = await loadBatch(ports, batch);
  const answers = await store.answers.ofBatch(batch.tenant, batch.batchId);
  const answer = answers.findLast(({ text }) => text !== null);
  if (answer?.text != null) {
    const policy = await policyInForce(store.policies, batch.tenant);
    const items = parseAnswer(answer.text);
    for (const scope of scopes) {
      const facts = items.get(scope.item) ?? [];
      report[await commitItem(ports, { scope, facts }, { answer, policy, call })] += 1;
    }
  }
  await store.answers.close(batch.tenant, batch.batchId);
  return report;
}

/**
 * A summary is written only over the very sources that it was grounded in. Where a write came in
 * between, it is grounded again: what it cites may have been deleted, and nobody would know.
 */
async function commitItem(
  ports: RefreshPorts,
  { scope, facts }: { scope: BatchScope; facts: readonly AnswerFact[] },
  commit: Commit,
): Promise<ItemOutcome> {
  const embed = embedOnce(ports, commit.call);
  let seen: BatchScope | null = scope;
  for (let tries = 0; tries < COMMIT_TRIES_MAX && seen !== null; tries += 1) {
    const { sources } = seen;
    const grounded = groundFacts(facts, new Map(sources.map((each) => [each.id, each])));
    const empty = sources.length === 0;
    // The model is judged by the sources that the commit began with, not by what went meanwhile.
    const enough = seen === scope ? grounded.sufficient : grounded.facts.length > 0;
    if (!empty && !enough) return refuse(ports, seen, grounded);
    const summary = empty ? null : await summaryOf(ports, seen, { ...commit, grounded, embed });
    if (await write(ports, seen, { ...commit, summary })) return empty ? 'emptied' : 'generated';
    seen = await reloadScope(ports, seen);
  }
  return 'lost';
}

type Embed = (text: string) => Promise<readonly number[] | null>;

/**
 * A text that grounding left as it was is not embedded again. Null where the embedder fails: the
 * summary is worth more than its place among others, which then goes by precedence alone.
 */
function embedOnce({ embedder, platform }: RefreshPorts, { signal }: ActivityCall): Embed {
  let last: { readonly text: string; readonly values: readonly number[] | null } | null = null;
  const embed = async (text: string): Promise<readonly number[] | null> => {
    try {
      const [values] = await embedder.embed([text], { purpose: 'passage', signal });
      return values ?? null;
    } catch (error) {
      if (!(error instanceof VarveError) || error.code === 'CANCELLED') throw error;
      platform.log.warn({ code: error.code }, 'summary committed without its context vector');
      return null;
    }
  };
  return async (text) => {
    if (last?.text !== text) last = { text, values: await embed(text) };
    return last.values;
  };
}

async function summaryOf(
  { platform, tokens, embedder, models }: RefreshPorts,
  { record, lease, item }: BatchScope,
  { answer, policy, grounded, embed }: Commit & { grounded: Grounded; embed: Embed },
): Promise<Summary> {
  const state = answer.items.find((each) => each.item === item);
  const whole = answer.items.reduce((sum, each) => sum + each.sourceTokens, 0);
  const usage = shareOf(answer.usage, state?.sourceTokens ?? 0, whole);
  const depths = composeDepths(grounded.facts, policy.layers[record.layer].depths, tokens);
  const { tenant, layer, scopeId } = record;
  const text = (depths.paragraph ?? depths.sentence ?? depths.detailed)?.text ?? '';
  const values = await embed(text);
  const now = platform.clock();
  return {
    tenant,
    layer,
    scopeId,
    audience: '',
    id: platform.newId(),
    facts: [...grounded.facts],
    depths,
    sourceHash: state?.sourceHash ?? lease.sourceHash,
    sourceCount: state?.sourceCount ?? record.sourceCount,
    recipeHash: lease.recipeHash,
    model: answer.model,
    usage,
    priceMicroDollars: costOf(usage, models.byName(answer.model)?.price ?? null).microDollars,
    trigger: lease.trigger,
    generatedAt: now,
    checkedAt: now,
    personalized: false,
    personalizationContext: null,
    droppedFacts: [...grounded.dropped],
    contextVector:
      values === null ? null : { generation: embedder.generation, values: [...values] },
  };
}

/** False where somebody wrote to the scope after its sources were read. */
async function write(
  ports: RefreshPorts,
  { item, record }: BatchScope,
  { answer, policy, summary }: Commit & { summary: Summary | null },
): Promise<boolean> {
  const state = answer.items.find((each) => each.item === item);
  const scope = applyCommit(
    record,
    {
      ...(state ?? record),
      // An empty scope was found empty now, whatever the model had read before.
      ...(summary === null ? NO_SOURCES : {}),
      cited: citedIds(summary),
      generated: summary !== null,
    },
    { policy: duePolicyOf(policy, record.layer), now: ports.platform.clock() },
  );
  const event = createdEvent(ports, record, summary);
  const outcome = summary === null ? 'Emptied' : 'Generated';
  return ports.store.summaries.commit({ summary, scope, outcome, event });
}

/** Too little of the answer is supported: the previous summary stays, and the reason is kept. */
async function refuse(
  { store, platform }: RefreshPorts,
  { record, lease }: BatchScope,
  { facts, dropped }: Grounded,
): Promise<ItemOutcome> {
  const reason: Refusal = facts.length === 0 ? 'NoGroundedFact' : 'LowGrounding';
  for (let tries = 0; tries < COMMIT_TRIES_MAX; tries += 1) {
    const now = platform.clock();
    const current = await store.scopes.get(record);
    if (current.lease?.batchId !== lease.batchId) return 'lost';
    const failed = applyFailure(current, { code: 'MODEL_OUTPUT_INVALID', reason }, now);
    if (!(await store.scopes.replace(failed))) continue;
    await store.events.append({
      tenant: record.tenant,
      id: platform.newId(),
      at: now,
      type: 'memory_summary_refused',
      attributes: { layer: record.layer, reason, kept: facts.length, dropped: dropped.length },
    });
    return 'refused';
  }
  return 'lost';
}

function createdEvent(
  { platform }: RefreshPorts,
  { tenant, layer }: ScopeRecord,
  summary: Summary | null,
): EventRecord {
  const event = { tenant, id: platform.newId(), at: platform.clock() };
  if (summary === null) return { ...event, type: 'memory_summary_emptied', attributes: { layer } };
  const { id, sourceCount, facts, trigger, model } = summary;
  return {
    ...event,
    type: 'memory_summary_created',
    attributes: { summaryId: id, layer, sourceCount, facts: facts.length, trigger, model },
  };
}

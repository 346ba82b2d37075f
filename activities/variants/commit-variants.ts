/**
 * Makes variants from the stored answers of their batch. Each is committed by compare-and-set on
 * the version of its scope, and only over the general summary that it was chosen from.
 */
import { answeredItems, type AnsweredItem } from '#core/prompt/parse-answer.ts';
import { composeDepths } from '#core/refresh/compose-depths.ts';
import type { CommitReport } from '#core/refresh/refresh-contract.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import { costOf, usageShare } from '#core/budget/price.ts';
import type { PaidAnswer } from '#core/records/paid-answer.ts';
import type { Fact, Summary } from '#core/records/summary.ts';
import { chooseFacts } from '#core/segments/segment-facts.ts';
import { policyToRefreshBy } from '#core/policy/policy-in-force.ts';
import {
  retryVariantLater,
  giveBackVariant,
  completeVariant,
} from '#core/variants/variant-rules.ts';
import type { BatchKey } from '../load-batch.ts';
import type { RefreshPorts } from '../refresh-ports.ts';
import { countGeneration } from '../refresh-metrics.ts';
import {
  releaseVariants,
  unclaimVariant,
  settleVariant,
  loadVariants,
  variantTask,
  type VariantTask,
  readVariantState,
} from './variant-batch.ts';

/** Conflicting writes tolerated before a variant is left to the next claim. */
const COMMIT_TRIES_MAX = 8;

interface Answered {
  readonly answer: PaidAnswer;
  readonly item: AnsweredItem | undefined;
}

/** Gives back variants whose task was not asked or has changed; they count as lost. */
export async function commitVariants(ports: RefreshPorts, batch: BatchKey): Promise<CommitReport> {
  const { store } = ports;
  const policy = await policyToRefreshBy(store.policies, batch.tenant);
  const report = { generated: 0, emptied: 0, refused: 0, lost: 0, advanced: 0 };
  if (policy === null) {
    const { length: lost } = await store.variants.leased(batch.tenant, batch);
    await releaseVariants(ports, { ...batch, code: 'FORBIDDEN' });
    return { ...report, lost };
  }
  const { tasks, others } = await loadVariants(ports, batch, policy);
  const answers = answersOf(await store.answers.ofBatch(batch.tenant, batch.batchId));
  for (const task of tasks) {
    const answered = answers.get(task.part.question.item);
    report[await commitTask(ports, policy, { task, answered })] += 1;
  }
  for (const state of others) {
    await unclaimVariant(ports, state);
    report.lost += 1;
  }
  await store.answers.close(batch.tenant, batch.batchId);
  return report;
}

/** The newest answer of each item. */
function answersOf(stored: readonly PaidAnswer[]): ReadonlyMap<string, Answered> {
  const answers = new Map<string, Answered>();
  for (const answer of stored) {
    if (answer.text === null) continue;
    const items = answeredItems(answer.text);
    for (const { item } of answer.items) answers.set(item, { answer, item: items.get(item) });
  }
  return answers;
}

async function commitTask(
  ports: RefreshPorts,
  policy: TenantPolicy,
  { task, answered }: { task: VariantTask; answered: Answered | undefined },
): Promise<keyof CommitReport> {
  const { variant, now } = task.state;
  if (answered === undefined) {
    await settleVariant(ports, variant, (current) => giveBackVariant(current, now));
    return 'lost';
  }
  const { offered, question } = task.part;
  const { facts, sufficient } = chooseFacts(offered, answered.item, question.tokensMax);
  if (!sufficient || facts.length === 0) {
    await settleVariant(ports, variant, (current) => retryVariantLater(current, now));
    return 'refused';
  }
  const summary = summaryOf(ports, policy, { task, answered, facts });
  if (!(await write(ports, policy, { task, summary }))) {
    await unclaimVariant(ports, await readVariantState(ports, policy, variant));
    return 'lost';
  }
  countGeneration(ports.metrics, summary, task.part.scope.lease);
  await settleVariant(ports, variant, completeVariant);
  return 'generated';
}

function summaryOf(
  { platform, tokens, models }: RefreshPorts,
  policy: TenantPolicy,
  { task, answered, facts }: { task: VariantTask; answered: Answered; facts: readonly Fact[] },
): Summary {
  const { general, contextOrigin, recipeHash, variant } = task.state;
  const { answer } = answered;
  const { item } = task.part.question;
  const tokensOf = (items: PaidAnswer['items']) =>
    items.reduce((total, each) => total + each.tokens, 0);
  const { depths } = policy.layers[general.layer];
  const own = answer.items.filter((each) => each.item === item);
  const usage = usageShare(answer.usage, tokensOf(own), tokensOf(answer.items));
  const price = models.byName(answer.model)?.price ?? null;
  const now = platform.clock();
  return {
    ...general,
    audience: variant.audience,
    id: platform.newId(),
    facts: [...facts],
    depths: composeDepths(facts, depths, tokens, task.part.scope.sources),
    recipeHash,
    model: answer.model,
    usage,
    priceMicroDollars: costOf(usage, price).microDollars,
    generatedAt: now,
    checkedAt: now,
    personalized: true,
    personalizationContext: contextOrigin,
    droppedFacts: [],
  };
}

/** False if the general summary was replaced meanwhile, or is about to be. */
async function write(
  ports: RefreshPorts,
  policy: TenantPolicy,
  { task, summary }: { task: VariantTask; summary: Summary },
): Promise<boolean> {
  const { store, platform } = ports;
  let current: VariantTask | null = task;
  for (let tries = 0; tries < COMMIT_TRIES_MAX && current !== null; tries += 1) {
    const { record, general, variant } = current.state;
    if (general.id !== task.state.general.id) return false;
    const { layer } = record;
    const committed = await store.summaries.commit({
      summary,
      scope: { ...record, version: record.version + 1 },
      outcome: 'Generated',
      event: {
        tenant: record.tenant,
        id: platform.newId(),
        at: summary.generatedAt,
        type: 'memory_summary_created',
        attributes: {
          layer,
          summaryId: summary.id,
          sourceCount: summary.sourceCount,
          facts: summary.facts.length,
          trigger: summary.trigger,
          model: summary.model,
          personalized: true,
        },
      },
    });
    if (committed) return true;
    current = variantTask(ports, policy, await readVariantState(ports, policy, variant));
  }
  return false;
}

/**
 * One call that judges what the rules of grounding doubt, where a policy asks for it. Its answer is
 * stored with those of its batch, where the judge reads it. If there is no model, no budget, an
 * outage or a useless answer, the rules decide every doubt.
 */
import { VarveError } from '#core/errors.ts';
import type { Confirms, Doubt } from '#core/grounding/doubt.ts';
import { confirmedBy, verifyItem } from '#core/grounding/doubt-question.ts';
import { desiredModel } from '#core/refresh/model-choice.ts';
import type { BatchItem, SummaryModel } from '#core/ports/model.ts';
import type { BatchKey } from './load-batch.ts';
import { meteredCall, type CallRules } from './metered-call.ts';
import type { RefreshPorts } from './refresh-ports.ts';
import { countCall } from './refresh-metrics.ts';

/** Maximum doubts of one call; the rules decide the rest. */
const DOUBTS_MAX = 60;

type Ports = Pick<RefreshPorts, 'store' | 'platform' | 'models' | 'metrics'>;

/** Returns what the stored answers of a batch confirm. */
export async function confirmedDoubts(
  { store, platform }: Pick<Ports, 'store' | 'platform'>,
  { tenant, batchId }: BatchKey,
): Promise<Confirms> {
  return confirmedBy(platform.digest, await store.answers.ofBatch(tenant, batchId));
}

/** Makes the call and returns what it confirms. `attempt` must be unique within the batch. */
export async function verifyDoubts(
  ports: Ports,
  doubts: readonly Doubt[],
  rules: Omit<CallRules, 'purpose'>,
): Promise<Confirms> {
  const { models, platform, metrics } = ports;
  const { digest, log } = platform;
  const { policy, batch } = rules;
  const model = verifierOf(policy, models);
  if (model === undefined) return () => false;
  const asked = new Map(
    doubts.map((doubt) => verifyItem(digest, doubt)).map((each) => [each.item, each]),
  );
  const items = fittingItems([...asked.values()].slice(0, DOUBTS_MAX), model);
  if (items.length === 0) return () => false;
  const question = {
    hash: digest(JSON.stringify([model.name, model.revision, items.map(({ item }) => item)])),
    model,
    usageMax: () => model.usageMax({ items }),
    ask: (call: Parameters<SummaryModel['answer']>[1]) => model.answer({ items }, call),
    itemsOf: () => [],
    count: (usage: Parameters<typeof countCall>[2]['usage']) => {
      countCall(metrics, model, { items: items.length, usage });
    },
  };
  try {
    const outcome = await meteredCall(ports, question, { ...rules, purpose: 'verification' });
    return outcome.kind === 'Answered' ? confirmedBy(digest, [outcome.answer]) : () => false;
  } catch (error) {
    if (!(error instanceof VarveError)) throw error;
    log.warn({ tenant: batch.tenant, code: error.code }, 'doubts not verified; the rules decide');
    return () => false;
  }
}

function verifierOf(
  policy: CallRules['policy'],
  models: Ports['models'],
): SummaryModel | undefined {
  if (policy.grounding === undefined) return undefined;
  const { name } = desiredModel(policy, policy.grounding.verify, models);
  return name === models.extractive.name ? undefined : models.byName(name);
}

/** Returns as many items as one call can read and answer: halves the list until it fits. */
function fittingItems(items: readonly BatchItem[], model: SummaryModel): readonly BatchItem[] {
  let fitting = items;
  while (fitting.length > 0) {
    const { inputTokens, outputTokens } = model.usageMax({ items: fitting });
    if (inputTokens <= model.inputTokensMax && outputTokens <= model.outputTokensMax) break;
    fitting = fitting.slice(0, Math.floor(fitting.length / 2));
  }
  return fitting;
}

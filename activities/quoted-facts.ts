/** Facts without a model, in the words of the sources: for what no model says anything of. */
import { answeredItems } from '#core/prompt/answer.ts';
import type { ItemJudgement } from '#core/refresh/item-judgement.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { Fact } from '#core/records/summary.ts';
import { hasWords } from '#core/sources/source.ts';
import type { BatchScope } from './batch.ts';
import type { ActivityCall, RefreshPorts } from './refresh-ports.ts';
import { judgePart, wholePart, type Part } from './scope-plan.ts';

/** Sources that a scope is quoted from of which a model found nothing worth a fact. */
const NEWEST_SOURCES_MAX = 50;

/** What the extractive summarizer makes of one part, grounded like any answer. */
export async function quotedFacts(
  { models, ...ports }: RefreshPorts,
  part: Part,
  { signal }: ActivityCall,
): Promise<ItemJudgement> {
  const { question } = part;
  const attemptId = `${part.scope.lease.batchId}/${question.item}`;
  const { text } = await models.extractive.answer({ items: [question] }, { attemptId, signal });
  const answered = answeredItems(text).get(question.item);
  return judgePart({ models, ...ports }, part, { answered, shown: null });
}

/**
 * What a part comes to whose answer broke off: the facts that the model gave, and after them the
 * words of the sources that none of them cites. Any other judgement stays as it is.
 */
export async function completedFacts(
  ports: RefreshPorts,
  part: Part,
  { judged, call }: { judged: ItemJudgement; call: ActivityCall },
): Promise<ItemJudgement> {
  const { question } = part;
  if (!judged.isCut || judged.verdict !== 'Good' || question.task !== 'Extract') return judged;
  const cited = new Set(judged.facts.flatMap(({ sources }) => sources));
  const sources = question.sources.filter(({ id }) => !cited.has(id));
  if (sources.length === 0) return judged;
  const rest = await quotedFacts(ports, { ...part, question: { ...question, sources } }, call);
  return { ...judged, facts: [...judged.facts, ...rest.facts] };
}

/** The newest words of a scope. A scope that has sources is not without a summary. */
export async function newestWords(
  ports: RefreshPorts,
  scope: BatchScope,
  { policy, call }: { policy: TenantPolicy; call: ActivityCall },
): Promise<readonly Fact[]> {
  const newest = { ...scope, sources: scope.sources.filter(hasWords).slice(-NEWEST_SOURCES_MAX) };
  const { facts } = await quotedFacts(ports, wholePart(ports, newest, policy), call);
  return facts;
}

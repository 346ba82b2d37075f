/** A call of a model for summaries: what it asks, and what is kept of its answer but the text. */
import { answeredItems, type AnsweredItem } from '#core/prompt/answer.ts';
import { VarveError, type ErrorCode } from '#core/errors.ts';
import type { ShownSource } from '#core/refresh/item-judgement.ts';
import { NOT_CHARGED } from '#core/budget/free-failures.ts';
import type { ModelAnswer } from '#core/ports/model.ts';
import type { StoredAnswer } from '#core/records/answer.ts';
import { scopeState, tokensOf, type ScopeState } from './batch.ts';
import type { Question } from './model-question.ts';
import { paidCall, type CallOutcome, type CallRules, type PaidQuestion } from './metered-call.ts';
import { countCall } from './refresh-metrics.ts';
import type { RefreshPorts } from './refresh-ports.ts';
import { judgePart, type Part } from './scope-plan.ts';

/** What may happen to one call of several while the answers of the others keep their worth. */
const LATER_FAILURES: ReadonlySet<ErrorCode> = new Set([
  ...NOT_CHARGED,
  'PROVIDER_ERROR',
  'TIMEOUT',
]);

/** As `paidCall`, for whom such a failure is an outcome. @throws VarveError for any other */
export async function tryModel(
  ports: RefreshPorts,
  question: Question,
  rules: CallRules,
): Promise<CallOutcome | { readonly kind: 'Failed'; readonly error: VarveError }> {
  try {
    return await paidCall(ports, paidQuestion(ports, question), rules);
  } catch (error) {
    if (!(error instanceof VarveError) || !LATER_FAILURES.has(error.code)) throw error;
    return { kind: 'Failed', error };
  }
}

function paidQuestion(ports: RefreshPorts, question: Question): PaidQuestion {
  const { model, batch, parts, hash } = question;
  return {
    hash,
    model,
    bounds: () => model.bounds(batch),
    ask: (call) => model.answer(batch, call),
    itemsOf: (answer) => itemsOf(ports, question, answer),
    count: (usage) => {
      countCall(ports.metrics, model, { items: parts.length, usage });
    },
  };
}

function itemsOf(
  ports: RefreshPorts,
  { parts }: Question,
  { text }: ModelAnswer,
): StoredAnswer['items'] {
  const answered = answeredItems(text);
  const citedBy = (part: Part) => citedByPart(ports, part, answered.get(part.question.item));
  return parts.map((part) => ({
    item: part.question.item,
    audience: part.scope.audience,
    tokens: tokensOf(part.question.sources),
    root: part.isRoot ? (part.node?.id ?? null) : null,
    cited: part.isRoot ? citedBy(part) : [],
    ...stateFor(ports, part),
  }));
}

/** Only what makes a summary needs a recount of all sources. */
function stateFor({ platform }: RefreshPorts, { isRoot, scope }: Part): ScopeState {
  if (isRoot) return scopeState(platform.digest, scope);
  const { sourceHash, sourceCount, sourceTokens, sourceBytes, changes, nextExpiryAt } =
    scope.record;
  return { sourceHash, sourceCount, sourceTokens, sourceBytes, changes, nextExpiryAt };
}

/** What the facts of a summary will cite, as the scope's sources are now. */
function citedByPart(
  ports: RefreshPorts,
  part: Part,
  answered: AnsweredItem | undefined,
): ShownSource[] {
  const { facts } = judgePart(ports, part, { answered, shown: null });
  const cited = new Set(facts.flatMap((fact) => fact.sources));
  return part.scope.sources
    .filter(({ id }) => cited.has(id))
    .map(({ id, contentHash }) => ({ id, contentHash }));
}

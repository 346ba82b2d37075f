/** A model call for summaries: what it asks, and what is stored of its answer besides the text. */
import { NOT_CHARGED } from '#core/budget/failures-not-charged.ts';
import { VarveError } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';
import type { Digest } from '#core/hash.ts';
import type { ModelAnswer, ModelBatch, SummaryModel } from '#core/ports/model.ts';
import { answeredItems, type AnsweredItem } from '#core/prompt/parse-answer.ts';
import type { PaidAnswer } from '#core/records/paid-answer.ts';
import { DEPTH_TOKENS_MAX, type Usage } from '#core/records/summary.ts';
import { callSizes, type CallSizes } from '#core/refresh/call-size.ts';
import type { ShownSource } from '#core/refresh/judge-summary-facts.ts';
import { isWithin, ITEMS_PER_BATCH_MAX, addUsage } from '#core/refresh/plan-batches.ts';
import { REFRESH_SETTINGS } from '#core/refresh/refresh-contract.ts';
import { scopeState, sumTokens, type ScopeState } from './load-batch.ts';
import {
  meteredCall,
  type CallOutcome,
  type CallRules,
  type PaidQuestion,
} from './metered-call.ts';
import type { RefreshPorts } from './refresh-ports.ts';
import { countCall } from './refresh-metrics.ts';
import { judgePart, type Part } from './plan-segments.ts';

/** Failures of one call of several that leave the other answers usable. */
const LATER_FAILURES: ReadonlySet<ErrorCode> = new Set([
  ...NOT_CHARGED,
  'PROVIDER_ERROR',
  'TIMEOUT',
]);

/** Like `meteredCall`, but returns such a failure. @throws VarveError for any other */
export async function tryModel(
  ports: RefreshPorts,
  question: Question,
  rules: CallRules,
): Promise<CallOutcome | { readonly kind: 'Failed'; readonly error: VarveError }> {
  try {
    return await meteredCall(ports, paidQuestion(ports, question), rules);
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
    usageMax: () => model.usageMax(batch),
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
): PaidAnswer['items'] {
  const answered = answeredItems(text);
  const citedBy = (part: Part) => citedByPart(ports, part, answered.get(part.question.item));
  return parts.map((part) => ({
    item: part.question.item,
    audience: part.scope.audience,
    tokens: sumTokens(part.question.sources),
    root: part.isRoot ? (part.node?.id ?? null) : null,
    cited: part.isRoot ? citedBy(part) : [],
    ...stateFor(ports, part),
  }));
}

/** Only a part that makes the summary needs a recount of all sources. */
function stateFor({ platform }: RefreshPorts, { isRoot, scope }: Part): ScopeState {
  if (isRoot) return scopeState(platform.digest, scope);
  const { sourceHash, sourceCount, sourceTokens, sourceBytes, changes, nextExpiryAt } =
    scope.record;
  return { sourceHash, sourceCount, sourceTokens, sourceBytes, changes, nextExpiryAt };
}

/** The sources that the facts of a summary will cite, as they are now. */
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

export interface Question {
  readonly model: SummaryModel;
  readonly parts: readonly Part[];
  readonly batch: ModelBatch;
  /** A paid answer is reused only while its question has this hash. */
  readonly hash: string;
}

/** Returns the question of one model call: its parts, and the hash that identifies it. */
export function questionOf(digest: Digest, model: SummaryModel, parts: readonly Part[]): Question {
  const batch = { items: parts.map(({ question }) => question) };
  return { model, parts, batch, hash: questionHash(digest, model, batch) };
}

/** Returns as many parts, in order, as one call can read and answer; always at least the first. */
export function fittingParts(model: SummaryModel, parts: readonly Part[]): readonly Part[] {
  const sizes = callSizes(model);
  const room = roomForItems(model, sizes);
  const fitting: Part[] = [];
  let used: Usage = { inputTokens: 0, outputTokens: 0 };
  for (const part of parts) {
    if (fitting.length >= ITEMS_PER_BATCH_MAX) break;
    const size = sizeOf(sizes, part);
    if (fitting.length > 0 && !isWithin(addUsage(used, size), room)) continue;
    fitting.push(part);
    used = addUsage(used, size);
  }
  return fitting;
}

/** Whether a part is more than a call of the model can read, even alone. */
export function exceedsCall(model: SummaryModel, part: Part): boolean {
  const sizes = callSizes(model);
  return sizeOf(sizes, part).inputTokens > roomForItems(model, sizes).inputTokens;
}

/** Returns the tokens that the items of one call may take, besides its rules. */
export function roomForItems(
  { inputTokensMax, outputTokensMax }: SummaryModel,
  { rules }: CallSizes,
): Usage {
  return { inputTokens: Math.max(0, inputTokensMax - rules), outputTokens: outputTokensMax };
}

function sizeOf(sizes: CallSizes, { question }: Part): Usage {
  const { task, depths, tokensMax, sources, audience } = question;
  // The description of a reader is read like a source.
  const reader = audience === null ? 0 : DEPTH_TOKENS_MAX.paragraph;
  const tokens = sumTokens(sources) + reader;
  return sizes.sizeOf({ task, depths, tokensMax, sources: sources.length, tokens });
}

function questionHash(digest: Digest, model: SummaryModel, { items }: ModelBatch): string {
  const shown = items.map(({ item, layer, depths, task, tokensMax, audience, again, sources }) => [
    [item, layer, depths, task, tokensMax, audience, again],
    sources.map(({ id, contentHash, speaker }) => [id, contentHash, speaker]),
  ]);
  return digest(JSON.stringify([model.name, model.revision, shown]));
}

/** The longest that a provider lets one call take. */
const CALL_MS_MAX = 120_000;
/** Time left after the last call, to judge and store its answer. */
const RESERVE_MS = 30_000;
/** A call that begins within this time ends before the timeout of its activity. */
export const CALLS_WITHIN_MS = REFRESH_SETTINGS.startToCloseTimeoutMs - CALL_MS_MAX - RESERVE_MS;

/** Call it when the activity begins; the result returns false once no further call may begin. */
export function openCallWindow(clock: () => number): () => boolean {
  const until = clock() + CALLS_WITHIN_MS;
  return () => clock() < until;
}

/**
 * Tracks which parts of a batch are still to be asked, and which parts share a call.
 *
 * One call asks as many parts as it has room for. A part whose answer is missing or unusable is
 * asked once more, alone, so that no sibling spoils it; after that it has failed. A good answer
 * that is too long to show is asked for once more, shorter, and then taken as it is. A leaf that
 * failed, or that its model cannot or will not read, is quoted, so that it does not fail the rest
 * of its scope. Facts of segments are stored at once, so they are never paid for again.
 */
import { doubtsOf, type Confirms, type Doubt } from '#core/grounding/doubt.ts';
import { answeredItems } from '#core/prompt/parse-answer.ts';
import { isTooLong, type ItemJudgment } from '#core/refresh/judge-summary-facts.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { SummaryModel } from '#core/ports/model.ts';
import type { PaidAnswer } from '#core/records/paid-answer.ts';
import type { Segment, Fact } from '#core/records/summary.ts';
import type { BatchScope } from './load-batch.ts';
import { fittingParts, exceedsCall, questionOf, type Question } from './summary-model-call.ts';
import { completedFacts, quotedFacts } from './answers-to-summary.ts';
import type { ActivityCall, RefreshPorts } from './refresh-ports.ts';
import { countCut } from './refresh-metrics.ts';
import {
  isLeaf,
  judgePart,
  readyParts,
  planScope,
  segmentOf,
  type Part,
  type PlannedScope,
} from './plan-segments.ts';

/** State of the work; the sets hold items as questions name them. */
interface State {
  readonly ports: RefreshPorts;
  readonly scopes: readonly BatchScope[];
  readonly policy: TenantPolicy;
  readonly call: ActivityCall;
  readonly finished: Set<string>;
  readonly failed: Set<string>;
  readonly again: Set<string>;
  readonly tooLong: Set<string>;
  /** Leaves that the provider refused when they were asked alone. */
  readonly rejected: Part[];
  isAnswered: boolean;
  model: SummaryModel;
  work: readonly PlannedScope[];
}

export async function openProgress(
  ports: RefreshPorts,
  scopes: readonly BatchScope[],
  { model, ...rules }: { model: SummaryModel; policy: TenantPolicy; call: ActivityCall },
) {
  const state: State = {
    ports,
    scopes,
    ...rules,
    finished: new Set(),
    failed: new Set(),
    again: new Set(),
    tooLong: new Set(),
    rejected: [],
    isAnswered: false,
    model,
    work: await planAll(ports, scopes, model),
  };
  return {
    get model() {
      return state.model;
    },
    /** Returns the next question; null if nothing is left that may still succeed. */
    next: () => nextQuestion(state),
    /** Returns what the rules doubt in an answer. */
    doubts: ({ parts }: Question, { text }: PaidAnswer): readonly Doubt[] => {
      const answered = answeredItems(text ?? '');
      return doubtsOf((confirms) => {
        for (const part of parts) {
          judgePart(ports, part, {
            answered: answered.get(part.question.item),
            shown: null,
            confirms,
          });
        }
      });
    },
    /** Judges an answer, and stores the facts of segments. */
    absorb: (question: Question, answer: PaidAnswer, confirms: Confirms) =>
      absorb(state, question, { answer, confirms }),
    /** Records that the provider refused the question: each part is asked once more, alone. */
    reject: (question: Question): void => {
      reject(state, question);
    },
    /** Switches to another model for everything that is not finished. */
    continueWith: (next: SummaryModel) => continueWith(state, next),
  };
}

async function nextQuestion(state: State): Promise<Question | null> {
  const { ports, model, again, rejected } = state;
  // Quote only after some answer: a provider that refuses every question is misconfigured.
  if (state.isAnswered) await quote(state, rejected.splice(0));
  const beyond = unfinishedParts(state).filter((part) => isLeaf(part) && exceedsCall(model, part));
  await quote(state, beyond);
  const open = unfinishedParts(state);
  const alone = open.find(({ question }) => again.has(question.item));
  const parts = alone === undefined ? fittingParts(model, open) : [alone];
  return parts.length === 0 ? null : questionOf(ports.platform.digest, model, parts);
}

function unfinishedParts({
  ports,
  work,
  policy,
  finished,
  failed,
  tooLong,
}: State): readonly Part[] {
  return work
    .flatMap((each) => readyParts(ports, each, policy))
    .filter(({ question: { item } }) => !finished.has(item) && !failed.has(item))
    .map((part) => (tooLong.has(part.question.item) ? askedShorter(part) : part));
}

async function absorb(
  state: State,
  question: Question,
  { answer, confirms }: { answer: PaidAnswer; confirms: Confirms },
): Promise<void> {
  const { ports, work, call, finished, failed, again, tooLong } = state;
  const good: Segment[] = [];
  const useless: Part[] = [];
  state.isAnswered = true;
  const answered = answeredItems(answer.text ?? '');
  for (const part of question.parts) {
    const { item } = part.question;
    const judged = judgePart(ports, part, { answered: answered.get(item), shown: null, confirms });
    if (judged.isCut) countCut(ports.metrics, state.model);
    if (tooLong.has(item)) finished.add(item);
    // Asked alone, a part has the whole answer to itself.
    else if (judged.isCut && question.parts.length > 1) again.add(item);
    else if (judged.verdict === 'Good' && isAskedShorter(ports, part, judged)) {
      tooLong.add(item);
    } else if (judged.verdict === 'Good') {
      finished.add(item);
      const { facts } = await completedFacts(ports, part, { judged, call });
      good.push(...segmentsOf(ports, work, { part, facts }));
    } else if (question.parts.length > 1) again.add(item);
    else if (isLeaf(part)) useless.push(part);
    else failed.add(item);
  }
  if (good.length > 0) await ports.store.segments.put(good);
  await quote(state, useless);
}

/** Gives leaves without a usable answer the words of their sources. */
async function quote({ ports, work, finished, call }: State, parts: readonly Part[]) {
  const quoted: Segment[] = [];
  for (const part of parts) {
    finished.add(part.question.item);
    const { facts } = await quotedFacts(ports, part, call);
    quoted.push(...segmentsOf(ports, work, { part, facts }));
  }
  if (quoted.length > 0) await ports.store.segments.put(quoted);
}

function reject({ failed, again, rejected }: State, { parts }: Question): void {
  for (const part of parts) {
    const { item } = part.question;
    if (parts.length > 1) again.add(item);
    else {
      failed.add(item);
      if (isLeaf(part)) rejected.push(part);
    }
  }
}

async function continueWith(state: State, model: SummaryModel): Promise<void> {
  const { ports, scopes, work, policy, finished } = state;
  const isFinished = (planned: PlannedScope) =>
    readyParts(ports, planned, policy).every(({ question }) => finished.has(question.item));
  const isDone = (scope: BatchScope) =>
    work.some((each) => each.scope === scope && isFinished(each));
  state.model = model;
  state.work = await planAll(
    ports,
    scopes.filter((scope) => !isDone(scope)),
    model,
  );
  state.failed.clear();
  state.again.clear();
  state.rejected.length = 0;
}

/** True for whole scopes only: facts of a segment are candidates and may never be shown. */
function isAskedShorter(
  { tokens }: RefreshPorts,
  { node, question }: Part,
  judged: ItemJudgment,
): boolean {
  return node === null && question.task === 'Extract' && isTooLong(judged, question.depths, tokens);
}

function askedShorter(part: Part): Part {
  return { ...part, question: { ...part.question, again: 'TooLong' } };
}

async function planAll(
  ports: RefreshPorts,
  scopes: readonly BatchScope[],
  model: SummaryModel,
): Promise<readonly PlannedScope[]> {
  const planned: PlannedScope[] = [];
  for (const scope of scopes) planned.push(await planScope(ports, scope, model));
  return planned;
}

/** Returns the segment of a part, and adds it to the plan of its scope. */
function segmentsOf(
  ports: RefreshPorts,
  work: readonly PlannedScope[],
  { part, facts }: { part: Part; facts: readonly Fact[] },
): readonly Segment[] {
  const plan = work.find(({ scope }) => scope === part.scope)?.plan;
  if (plan?.kind !== 'Tree') return [];
  const segment = segmentOf(ports, part, { facts, recipeHash: plan.recipeHash });
  if (segment === null) return [];
  plan.known.set(segment.segmentId, segment);
  return [segment];
}

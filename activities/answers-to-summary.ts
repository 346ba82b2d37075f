/**
 * Two steps of a batch for one scope: reads its facts from the stored answers, or says why it has
 * none yet; then builds its summary of the facts (texts, hashes, price, vector) and writes it.
 */
import { costOf, usageShare } from '#core/budget/price.ts';
import type { Confirms } from '#core/grounding/doubt.ts';
import type { SummaryModel } from '#core/ports/model.ts';
import { answeredItems, type AnsweredItem } from '#core/prompt/parse-answer.ts';
import type { PaidAnswer } from '#core/records/paid-answer.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { Segment, Fact, Summary } from '#core/records/summary.ts';
import {
  changedSources,
  judgeFacts,
  type ItemJudgment,
} from '#core/refresh/judge-summary-facts.ts';
import { addUsage } from '#core/refresh/plan-batches.ts';
import { nodesOf } from '#core/segments/segment-tree.ts';
import { hasText } from '#core/sources/source.ts';
import {
  batchItemId,
  plannedModel,
  scopeState,
  type BatchScope,
  type ScopeState,
} from './load-batch.ts';
import { attemptNumber } from './metered-call.ts';
import type { ActivityCall, RefreshPorts } from './refresh-ports.ts';
import {
  isLeaf,
  judgePart,
  readyParts,
  planScope,
  segmentOf,
  wholePart,
  type Part,
  type PlannedScope,
} from './plan-segments.ts';
import { VarveError } from '#core/errors.ts';
import type { EventRecord } from '#core/records/event.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { composeDepths } from '#core/refresh/compose-depths.ts';
import { recipeHash } from '#core/refresh/recipe.ts';
import { citedIds } from '#core/refresh/claim-decision.ts';
import { applyCommit } from '#core/refresh/scope-transitions.ts';
import { duePolicyOf } from '#core/refresh/when-to-refresh.ts';

/** Stored answers of one batch, the newest first, each read once. */
export type Answers = readonly {
  readonly stored: PaidAnswer;
  readonly items: ReadonlyMap<string, AnsweredItem>;
  /** What the answers of the batch confirm. */
  readonly confirms: Confirms;
}[];

export interface MadeFacts extends Pick<Summary, 'facts' | 'droppedFacts'> {
  readonly model: string;
  readonly usage: Summary['usage'];
  readonly priceMicroDollars: number;
  /** The sources that the facts rest on. */
  readonly state: ScopeState;
  /** Segments that the facts were made of; empty for a scope that was read whole. */
  readonly segments: readonly string[];
}

export type ScopeResult =
  | { readonly kind: 'Made'; readonly made: MadeFacts }
  /** Nothing holds of what the sources say: all was taken back. */
  | { readonly kind: 'Empty'; readonly state: MadeFacts['state'] }
  | { readonly kind: 'Refused'; readonly judged: Pick<ItemJudgment, 'facts' | 'dropped'> }
  /** Every fact of the answers rests on a source that has changed since. */
  | { readonly kind: 'Outdated' }
  /** Some of its parts have no answer yet; `begun` if others have one. */
  | { readonly kind: 'Unfinished'; readonly begun: boolean };

const NOT_BEGUN = { kind: 'Unfinished', begun: false } as const;
const OUTDATED = { kind: 'Outdated' } as const;

export function readAnswers(stored: readonly PaidAnswer[], confirms: Confirms): Answers {
  return stored
    .filter(({ text }) => text !== null)
    .toSorted((a, b) => attemptNumber(b) - attemptNumber(a))
    .map((answer) => ({ stored: answer, items: answeredItems(answer.text ?? ''), confirms }));
}

/**
 * Returns the result of the planned model, or of the extractive fallback if the budget ran out. If
 * the answers hold no fact, the newest words of the scope become its facts.
 */
export async function factsFromAnswers(
  ports: RefreshPorts,
  scope: BatchScope,
  { answers, policy, call }: Omit<Basis, 'model'>,
): Promise<ScopeResult> {
  const result = await answeredResult(ports, scope, { answers, policy, call });
  if (result.kind !== 'Made' || result.made.facts.length > 0) return result;
  // The model read the sources and chose no fact: nothing is pending, so quote the newest words.
  const { facts, dropped } = await newestWords(ports, scope, { policy, call });
  if (facts.length > 0) return { kind: 'Made', made: { ...result.made, facts: [...facts] } };
  if (dropped.length === 0) return { kind: 'Empty', state: result.made.state };
  return { kind: 'Refused', judged: { facts: [], dropped: result.made.droppedFacts } };
}

async function answeredResult(
  ports: RefreshPorts,
  scope: BatchScope,
  { answers, policy, call }: Omit<Basis, 'model'>,
): Promise<ScopeResult> {
  const planned = plannedModel(ports, scope);
  const { extractive } = ports.models;
  const result = await resultBy(ports, scope, { model: planned, answers, policy, call });
  const stoodIn = answers.some(({ stored }) => stored.model === extractive.name);
  if (result.kind === 'Made' || !stoodIn || planned.name === extractive.name) return result;
  const other = await resultBy(ports, scope, { model: extractive, answers, policy, call });
  return other.kind === 'Made' || other.kind === 'Refused' ? other : result;
}

interface Basis {
  readonly model: SummaryModel;
  readonly answers: Answers;
  readonly policy: TenantPolicy;
  readonly call: ActivityCall;
}

async function resultBy(
  ports: RefreshPorts,
  scope: BatchScope,
  basis: Basis,
): Promise<ScopeResult> {
  const planned = await planScope(ports, scope, basis.model);
  return planned.plan.kind === 'Tree'
    ? treeResult(ports, planned, basis)
    : wholeResult(ports, scope, basis);
}

async function wholeResult(
  ports: RefreshPorts,
  scope: BatchScope,
  { model, answers, policy, call }: Basis,
): Promise<ScopeResult> {
  const part = wholePart(ports, scope, policy);
  const { item } = part.question;
  const asked = answers.flatMap(({ stored, items, confirms }) => {
    const state = stored.items.find((each) => each.item === item);
    return state === undefined || stored.model !== model.name ? [] : [{ items, state, confirms }];
  });
  const tried = asked.map(({ items, state, confirms }) => {
    const said = { answered: items.get(item), shown: state.cited, confirms };
    const judgment = judgePart(ports, part, said);
    return { state, judged: judgment };
  });
  // Prefer the newest usable answer: a repeated question may have got a worse one.
  const good = tried.filter(({ judged }) => judged.verdict === 'Good');
  const said = good.filter(({ judged }) => judged.facts.length > 0);
  const last = said.find(({ judged }) => !judged.isCut) ?? said[0] ?? good[0] ?? tried[0];
  if (last === undefined) return NOT_BEGUN;
  const judged = await completedFacts(ports, part, { judged: last.judged, call });
  if (judged.verdict === 'Outdated') return OUTDATED;
  if (judged.verdict === 'Refused') return { kind: 'Refused', judged };
  const { facts, dropped: droppedFacts } = judged;
  const spent = spentOn(ports, answers, new Set([item]));
  const made = { facts: [...facts], droppedFacts, ...spent, state: last.state, segments: [] };
  return { kind: 'Made', made: { ...made, model: model.name } };
}

/**
 * Stores segments that a crash left unstored, and builds the result of a segmented scope. An answer
 * for an inner node that is not good enough refuses the scope.
 */
async function treeResult(
  ports: RefreshPorts,
  planned: PlannedScope,
  { model, answers, policy, call }: Basis,
): Promise<ScopeResult> {
  const { scope, plan } = planned;
  if (plan.kind !== 'Tree') return NOT_BEGUN;
  const { root, known, recipeHash } = plan;
  for (;;) {
    const found = readyParts(ports, planned, policy).flatMap((part) =>
      answeredPart(ports, part, answers),
    );
    if (found.length === 0) break;
    const good = found.filter(({ judged }) => judged.verdict === 'Good');
    // A leaf with a useless answer is asked again or quoted (batch-progress); others are
    // unaffected.
    const refused = found.find(({ part, judged }) => judged.verdict !== 'Good' && !isLeaf(part));
    const segments: Segment[] = [];
    for (const { part, judged } of good) {
      const { facts } = await completedFacts(ports, part, { judged, call });
      const segment = segmentOf(ports, part, { facts, recipeHash });
      if (segment !== null) segments.push(segment);
    }
    if (segments.length > 0) await ports.store.segments.put(segments);
    for (const segment of segments) known.set(segment.segmentId, segment);
    if (refused !== undefined) return { kind: 'Refused', judged: refused.judged };
    if (good.length === 0) break;
  }
  const made = known.get(root.id);
  if (made === undefined) return rootOfBefore(ports, planned, { model, answers });
  const ids = nodesOf(root).map(({ id }) => id);
  const items = new Set(ids.map((id) => batchItemId(ports.platform.digest, scope, id)));
  return {
    kind: 'Made',
    made: {
      facts: made.facts,
      droppedFacts: droppedOf(ports, planned, answers),
      model: model.name,
      ...spentOn(ports, answers, items),
      state: scopeState(ports.platform.digest, scope),
      segments: ids,
    },
  };
}

/**
 * Falls back to the root that this batch made before the sources changed. Otherwise a scope with
 * constant writes would never have a summary. Facts that cite a changed source are left out, and
 * the summary is stale.
 */
async function rootOfBefore(
  ports: RefreshPorts,
  { scope, plan }: PlannedScope,
  { model, answers }: Pick<Basis, 'model' | 'answers'>,
): Promise<ScopeResult> {
  const { digest } = ports.platform;
  const state = answers
    .flatMap(({ stored }) => (stored.model === model.name ? stored.items : []))
    .find(({ item, root }) => root !== null && item === batchItemId(digest, scope, root));
  if (plan.kind !== 'Tree') return NOT_BEGUN;
  const begun = plan.known.size > 0;
  if (state === undefined || state.root === null) return { kind: 'Unfinished', begun };
  const [segment] = await ports.store.segments.find(scope.record, [state.root]);
  const live = new Map(scope.sources.map((source) => [source.id, source]));
  const changed = changedSources(state.cited, live);
  const isOutdated = (fact: Fact) => fact.sources.some((id) => changed.has(id));
  const facts = segment?.facts.filter((fact) => !isOutdated(fact)) ?? [];
  if (facts.length === 0) return OUTDATED;
  const spent = spentOn(ports, answers, new Set([state.item]));
  const segments = [...plan.known.keys()];
  const made = { facts, droppedFacts: [], model: model.name, ...spent, state, segments };
  return { kind: 'Made', made };
}

interface AnsweredPart {
  readonly part: Part;
  readonly judged: ItemJudgment;
}

/**
 * Judges the newest answer to a part; empty without one. The id of a node depends on its sources,
 * so they need no comparison.
 */
function answeredPart(ports: RefreshPorts, part: Part, answers: Answers): readonly AnsweredPart[] {
  const { item } = part.question;
  const last = answers.find(({ stored }) => stored.items.some((each) => each.item === item));
  if (last === undefined) return [];
  const { items, confirms } = last;
  const judged = judgePart(ports, part, { answered: items.get(item), shown: null, confirms });
  return [{ part, judged }];
}

/** Facts that the leaves of this batch lost to grounding; earlier batches' losses are not kept. */
function droppedOf(
  ports: RefreshPorts,
  { scope, plan }: PlannedScope,
  answers: Answers,
): Summary['droppedFacts'] {
  if (plan.kind !== 'Tree') return [];
  const leaves = nodesOf(plan.root).filter(({ level }) => level === 0);
  return leaves.flatMap((node) => {
    const item = batchItemId(ports.platform.digest, scope, node.id);
    const last = answers.find(({ stored }) => stored.items.some((each) => each.item === item));
    const answered = last?.items.get(item);
    if (answered === undefined) return [];
    const { tokens } = ports;
    const { confirms } = last ?? {};
    return judgeFacts(answered, { sources: node.sources, shown: null, tokens, confirms }).dropped;
  });
}

/** Usage and price of the given items in this batch, by their share of each call. */
function spentOn(
  { models }: RefreshPorts,
  answers: Answers,
  items: ReadonlySet<string>,
): Pick<MadeFacts, 'usage' | 'priceMicroDollars'> {
  let usage = { inputTokens: 0, outputTokens: 0 };
  let priceMicroDollars = 0;
  for (const { stored } of answers) {
    const own = stored.items.filter(({ item }) => items.has(item));
    if (own.length === 0) continue;
    const part = own.reduce((total, { tokens }) => total + tokens, 0);
    const whole = stored.items.reduce((total, { tokens }) => total + tokens, 0);
    const share = usageShare(stored.usage, part, whole);
    usage = addUsage(usage, share);
    priceMicroDollars += costOf(share, models.byName(stored.model)?.price ?? null).microDollars;
  }
  return { usage, priceMicroDollars };
}

/** Newest sources to quote when a model found nothing in a scope worth a fact. */
const NEWEST_SOURCES_MAX = 50;

/** Returns the extractive summarizer's facts for one part, grounded like any answer. */
export async function quotedFacts(
  { models, ...ports }: RefreshPorts,
  part: Part,
  { signal }: ActivityCall,
): Promise<ItemJudgment> {
  const { question } = part;
  const attemptId = `${part.scope.lease.batchId}/${question.item}`;
  const { text } = await models.extractive.answer({ items: [question] }, { attemptId, signal });
  const answered = answeredItems(text).get(question.item);
  return judgePart({ models, ...ports }, part, { answered, shown: null });
}

/**
 * Completes an answer that broke off: keeps the model's facts and adds the words of the sources
 * that no fact cites. Returns any other judgment unchanged.
 */
export async function completedFacts(
  ports: RefreshPorts,
  part: Part,
  { judged, call }: { judged: ItemJudgment; call: ActivityCall },
): Promise<ItemJudgment> {
  const { question } = part;
  if (!judged.isCut || judged.verdict !== 'Good' || question.task !== 'Extract') return judged;
  const cited = new Set(judged.facts.flatMap(({ sources }) => sources));
  const sources = question.sources.filter(({ id }) => !cited.has(id));
  if (sources.length === 0) return judged;
  const rest = await quotedFacts(ports, { ...part, question: { ...question, sources } }, call);
  return { ...judged, facts: [...judged.facts, ...rest.facts] };
}

/** Returns the newest words of a scope as facts, so that a scope with sources gets a summary. */
async function newestWords(
  ports: RefreshPorts,
  scope: BatchScope,
  { policy, call }: { policy: TenantPolicy; call: ActivityCall },
): Promise<ItemJudgment> {
  const newest = { ...scope, sources: scope.sources.filter(hasText).slice(-NEWEST_SOURCES_MAX) };
  return quotedFacts(ports, wholePart(ports, newest, policy), call);
}

export async function summaryOf(
  ports: RefreshPorts,
  { record, lease, audience, about, sources }: BatchScope,
  { made, policy, embed }: { made: MadeFacts; policy: TenantPolicy; embed: Embed },
): Promise<Summary> {
  const { platform, tokens } = ports;
  const { tenant, layer, scopeId } = record;
  const { facts, droppedFacts, model, usage, priceMicroDollars, state } = made;
  const depths = composeDepths(facts, policy.layers[layer].depths, tokens, sources);
  const text = (depths.paragraph ?? depths.sentence ?? depths.detailed)?.text ?? '';
  const contextVector = await embed(text);
  const now = platform.clock();
  return {
    tenant,
    layer,
    scopeId,
    audience,
    id: platform.newId(),
    facts,
    depths,
    sourceHash: state.sourceHash,
    sourceCount: state.sourceCount,
    recipeHash: recipeOf(ports, { model, policy, layer }) ?? lease.recipeHash,
    model,
    usage,
    priceMicroDollars,
    trigger: lease.trigger,
    generatedAt: now,
    checkedAt: now,
    personalized: about !== null,
    personalizationContext: about,
    droppedFacts,
    contextVector,
  };
}

/**
 * The recipe of the model that actually made the summary. It identifies the fallback for another
 * model's text, which is regenerated when it is due. Null if the model is no longer configured.
 */
function recipeOf(
  { models, platform }: RefreshPorts,
  { model, policy, layer }: { model: string; policy: TenantPolicy; layer: Summary['layer'] },
): string | null {
  const known = models.byName(model);
  if (known === undefined) return null;
  return recipeHash(platform.digest, { layer: policy.layers[layer], model: known });
}

interface Committed {
  readonly policy: TenantPolicy;
  /** Null if the scope was emptied. */
  readonly summary: Summary | null;
  readonly state: ScopeState;
  /** For a fallback: readers see that the scope failed, and its next attempt keeps its time. */
  readonly failed?: ScopeRecord;
}

/** Writes a summary. Returns false if the scope changed after its sources were read. */
export async function commitSummary(
  ports: RefreshPorts,
  { record, lease }: BatchScope,
  { policy, summary, state, failed }: Committed,
): Promise<boolean> {
  const before = {
    ...record,
    lease: { ...lease, recipeHash: summary?.recipeHash ?? lease.recipeHash },
    ...(summary === null ? { generatedAt: null } : {}),
  };
  const committed = applyCommit(
    before,
    { ...state, cited: citedIds(summary), generated: summary !== null },
    { policy: duePolicyOf(policy, record.layer), now: ports.platform.clock() },
  );
  const scope = failed === undefined ? committed : { ...committed, ...failureOf(failed) };
  const event = committedEvent(ports, record, summary);
  const outcome = summary === null ? 'Emptied' : 'Generated';
  return ports.store.summaries.commit({ summary, scope, outcome, event });
}

function failureOf({ deadLetter, attempts, dueAt, dueTrigger, hold }: ScopeRecord) {
  return { deadLetter, attempts, dueAt, dueTrigger, hold };
}

/** Returns the event of a commit. @param summary null if the scope was emptied */
function committedEvent(
  { platform }: Pick<RefreshPorts, 'platform'>,
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

/** The context vector of a summary (SUM-09). */
export type Embed = (text: string) => Promise<Summary['contextVector']>;

/**
 * Returns a function that embeds a text, unless it is the same text as before. The vector is null
 * if the embedder fails: a summary without a vector is still useful, ranked by precedence alone.
 */
export function embedOnce({ embedders, platform }: RefreshPorts, { signal }: ActivityCall): Embed {
  let last: { readonly text: string; readonly vector: Summary['contextVector'] } | null = null;
  const embed: Embed = async (text) => {
    try {
      const embedder = await embedders.configured();
      const { generation } = embedder;
      const [values] = await embedder.embed([text], { purpose: 'passage', signal });
      return values === undefined ? null : { generation, values: [...values] };
    } catch (error) {
      if (!(error instanceof VarveError) || error.code === 'CANCELLED') throw error;
      platform.log.warn({ code: error.code }, 'summary committed without its context vector');
      return null;
    }
  };
  return async (text) => {
    if (last?.text !== text) last = { text, vector: await embed(text) };
    return last.vector;
  };
}

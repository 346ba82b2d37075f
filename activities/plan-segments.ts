/** Plans how a model summarizes a scope: whole in one item, or node by node (design 6.16). */
import { chunked } from '#core/chunks-and-pages.ts';
import { askedTexts } from '#core/refresh/call-size.ts';
import {
  judgeFacts,
  type ItemJudgment,
  type ShownSource,
} from '#core/refresh/judge-summary-facts.ts';
import type { Confirms } from '#core/grounding/doubt.ts';
import type { AnsweredItem } from '#core/prompt/parse-answer.ts';
import type { BatchItem, SummaryModel } from '#core/ports/model.ts';
import { SEGMENTS_PER_CALL_MAX } from '#core/ports/scope-records.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import { segmentRecipeHash } from '#core/refresh/recipe.ts';
import type { Segment, Fact } from '#core/records/summary.ts';
import {
  chooseFacts,
  factsWithin,
  offeredFacts,
  type Offered,
} from '#core/segments/segment-facts.ts';
import { isSegmented, segmentSizes, sourceWeight } from '#core/segments/segment-sizes.ts';
import {
  LEVELS_MAX,
  nodesOf,
  readyNodes,
  segmentTree,
  type SegmentNode,
} from '#core/segments/segment-tree.ts';
import { hasText } from '#core/sources/source.ts';
import { batchItemId, sumTokens, type BatchScope } from './load-batch.ts';
import type { RefreshPorts } from './refresh-ports.ts';

type ScopePlan =
  | { readonly kind: 'Empty' }
  | { readonly kind: 'Whole' }
  | {
      readonly kind: 'Tree';
      readonly root: SegmentNode;
      readonly recipeHash: string;
      /** Segments that exist already, by their ids; more are added while the batch is processed. */
      readonly known: Map<string, Segment>;
    };

export interface PlannedScope {
  readonly scope: BatchScope;
  readonly plan: ScopePlan;
}

/** One task for the model: a whole scope, or one node of its tree. */
export interface Part {
  readonly scope: BatchScope;
  readonly node: SegmentNode | null;
  /** Whether its facts become those of the summary. */
  readonly isRoot: boolean;
  readonly question: BatchItem;
  /** The facts that an inner node chooses from. */
  readonly offered: readonly Offered[];
}

/** Whether a part is a stretch of sources of a large scope. */
export function isLeaf({ node }: Part): boolean {
  return node?.level === 0;
}

/** Plans how to summarize a scope, and reads which segments exist already. */
export async function planScope(
  ports: RefreshPorts,
  scope: BatchScope,
  model: SummaryModel,
): Promise<PlannedScope> {
  const { record, sources, about } = scope;
  if (!sources.some(hasText)) return { scope, plan: { kind: 'Empty' } };
  const weight = sourceWeight({ tokens: sumTokens(sources), count: sources.length });
  if (!isSegmented(weight, model)) return { scope, plan: { kind: 'Whole' } };
  const { digest } = ports.platform;
  const recipeHash = segmentRecipeHash(digest, { model, about });
  const root = segmentTree(digest, sources, { recipeHash, sizes: segmentSizes(model) });
  const ids = nodesOf(root).map(({ id }) => id);
  const known = new Map<string, Segment>();
  for (const batch of chunked(ids, SEGMENTS_PER_CALL_MAX)) {
    for (const segment of await ports.store.segments.find(record, batch)) {
      known.set(segment.segmentId, segment);
    }
  }
  return { scope, plan: { kind: 'Tree', root, recipeHash, known } };
}

/** Returns the tasks of a scope that can be asked now, in a stable order. */
export function readyParts(
  ports: RefreshPorts,
  { scope, plan }: PlannedScope,
  policy: TenantPolicy,
): readonly Part[] {
  if (plan.kind === 'Empty') return [];
  if (plan.kind === 'Whole') return [wholePart(ports, scope, policy)];
  const { root, known, recipeHash } = plan;
  for (let level = 0; level < LEVELS_MAX; level += 1) {
    const ready = readyNodes(root, (id) => known.has(id));
    const silent = ready.filter((node) => isSilent(node, known));
    for (const node of silent)
      known.set(node.id, segmentAt(scope, node, { facts: [], recipeHash }));
    if (silent.length > 0) continue;
    return ready.map((node) => nodePart(ports, scope, { node, isRoot: node === root, known }));
  }
  return [];
}

/** Whether a node has nothing to read or choose from, so that no model needs to be asked. */
function isSilent(
  { level, sources: own, children }: SegmentNode,
  known: ReadonlyMap<string, Segment>,
): boolean {
  if (level === 0) return !own.some(hasText);
  return children.length > 0 && children.every(({ id }) => known.get(id)?.facts.length === 0);
}

export function wholePart(
  { platform }: RefreshPorts,
  scope: BatchScope,
  policy: TenantPolicy,
): Part {
  const { record, about, sources } = scope;
  const question = {
    item: batchItemId(platform.digest, scope, ''),
    layer: record.layer,
    task: 'Extract',
    ...askedTexts(policy.layers[record.layer]),
    audience: about,
    sources: sources.filter(hasText),
  } as const;
  return { scope, node: null, isRoot: true, question, offered: [] };
}

function nodePart(
  { platform, tokens }: RefreshPorts,
  scope: BatchScope,
  {
    node,
    isRoot,
    known,
  }: Pick<Part, 'isRoot'> & {
    node: SegmentNode;
    known: ReadonlyMap<string, Segment>;
  },
): Part {
  const below = node.children.flatMap(({ id }) => known.get(id) ?? []);
  const offered = offeredFacts(platform.digest, below, tokens);
  const question = {
    item: batchItemId(platform.digest, scope, node.id),
    layer: scope.record.layer,
    depths: ['detailed'],
    task: node.level === 0 ? 'Extract' : 'Select',
    tokensMax: node.tokensMax,
    audience: scope.about,
    sources: node.level === 0 ? node.sources.filter(hasText) : offered.map(({ source }) => source),
  } as const;
  return { scope, node, isRoot, question, offered };
}

/** Judges whether the answer to a part may be used, and which of its facts. */
export function judgePart(
  { tokens }: RefreshPorts,
  { question, offered }: Part,
  {
    answered,
    shown,
    confirms,
  }: {
    answered: AnsweredItem | undefined;
    shown: readonly ShownSource[] | null;
    confirms?: Confirms | undefined;
  },
): ItemJudgment {
  const { sources, tokensMax } = question;
  if (question.task === 'Extract') {
    return judgeFacts(answered, { sources, shown, tokens, confirms });
  }
  const choice = chooseFacts(offered, answered, tokensMax);
  const verdict = choice.sufficient ? 'Good' : 'Refused';
  return { facts: choice.facts, dropped: [], verdict, isCut: answered?.isCut ?? false };
}

/** Returns a node with its facts, as it is stored; null for a scope that is read whole. */
export function segmentOf(
  { tokens }: RefreshPorts,
  { scope, node }: Part,
  { facts, recipeHash }: { facts: ItemJudgment['facts']; recipeHash: string },
): Segment | null {
  if (node === null) return null;
  const kept = factsWithin(facts, node.tokensMax, tokens);
  return segmentAt(scope, node, { facts: kept, recipeHash });
}

function segmentAt(
  { record }: BatchScope,
  { id: segmentId, level, sourceHash }: SegmentNode,
  { facts, recipeHash }: { facts: readonly Fact[]; recipeHash: string },
): Segment {
  const { tenant, layer, scopeId } = record;
  return { tenant, layer, scopeId, segmentId, level, sourceHash, recipeHash, facts: [...facts] };
}

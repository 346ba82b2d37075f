/**
 * The tree of a large scope (design 6.16). Leaves are stretches of its sources. Inner nodes choose
 * among the facts of the nodes below. The facts of the root are those of the summary. Its shape
 * depends on the sources alone. A node's id is a hash of everything it is made of, so an equal id
 * means equal facts.
 */
import type { Digest } from '../hash.ts';
import { chunkEntries, type Entry } from './content-defined-chunks.ts';
import { sourceWeight, type SegmentSizes } from './segment-sizes.ts';
import { DEPTH_TOKENS_MAX } from '../records/summary.ts';
import type { Source } from '../sources/source.ts';

export interface SegmentNode {
  readonly id: string;
  /** 0 for a leaf. */
  readonly level: number;
  /** Hash over its own sources, or over the ids of the nodes below. */
  readonly sourceHash: string;
  /** The most tokens of facts that it may have. */
  readonly tokensMax: number;
  /** Sources of a leaf; empty for an inner node. */
  readonly sources: readonly Source[];
  /** Nodes below an inner node; empty for a leaf. */
  readonly children: readonly SegmentNode[];
}

interface TreeRules {
  /** Hash of everything but the sources that shapes the facts of a node. */
  readonly recipeHash: string;
  readonly sizes: SegmentSizes;
}

/** Each level has a fraction of the nodes below it; no scope needs this many. */
export const LEVELS_MAX = 24;
/** One token of facts per this many tokens of sources: few enough to be read again one level up. */
const SOURCE_TOKENS_PER_FACT_TOKEN = 16;
/** Even a small leaf may keep one or two facts. */
const LEAF_FACTS_MIN = 60;
/** Facts are read again with a frame around each, which adds about half of their length. */
const FACT_WEIGHT = 1.5;

interface Placed extends Entry {
  readonly node: SegmentNode;
}

/** Returns the root of the tree over a scope's sources, which must be in order and not empty. */
export function segmentTree(
  digest: Digest,
  sources: readonly Source[],
  rules: TreeRules,
): SegmentNode {
  let nodes = leaves(digest, sources, rules);
  const { inner } = rules.sizes;
  for (let level = 1; nodes.length > 1; level += 1) {
    const weight = nodes.reduce((sum, node) => sum + node.weight, 0);
    if (weight <= inner.most || level >= LEVELS_MAX) return root(digest, level, { nodes, rules });
    nodes = chunkEntries(digest, nodes, { level, sizes: inner }).map((chunk) =>
      above(digest, level, { nodes: chunk, rules }),
    );
  }
  const [only] = nodes;
  return only?.node ?? root(digest, 1, { nodes, rules });
}

/** Returns every node of a tree, each after the nodes below it. */
export function nodesOf(node: SegmentNode): readonly SegmentNode[] {
  return [...node.children.flatMap(nodesOf), node];
}

/** Returns the nodes that can be made now: nodes without facts whose inputs are all known. */
export function readyNodes(
  node: SegmentNode,
  isKnown: (id: string) => boolean,
): readonly SegmentNode[] {
  if (isKnown(node.id)) return [];
  const below = node.children.flatMap((child) => readyNodes(child, isKnown));
  return below.length === 0 && node.children.every(({ id }) => isKnown(id)) ? [node] : below;
}

function leaves(digest: Digest, sources: readonly Source[], rules: TreeRules): readonly Placed[] {
  const entries = sources.map((source) => ({
    key: source.id,
    weight: sourceWeight({ tokens: source.tokens, count: 1 }),
    joined: source.role === 'tool',
    source,
  }));
  const chunks = chunkEntries(digest, entries, { level: 0, sizes: rules.sizes.leaf });
  return chunks.map((chunk) => {
    const own = chunk.map(({ source }) => source);
    const tokens = own.reduce((sum, source) => sum + source.tokens, 0);
    const made = { level: 0, tokensMax: leafFacts(tokens, rules.sizes), sources: own };
    const inputs = own.map(({ id, contentHash }) => [id, contentHash]);
    return placed(chunk[0]?.key, nodeOf(digest, { ...made, children: [] }, { inputs, rules }));
  });
}

function leafFacts(tokens: number, sizes: SegmentSizes): number {
  const share = Math.ceil(tokens / SOURCE_TOKENS_PER_FACT_TOKEN);
  return Math.max(1, Math.min(Math.max(share, LEAF_FACTS_MIN), tokens, sizes.leafFacts));
}

interface Level {
  readonly nodes: readonly Placed[];
  readonly rules: TreeRules;
}

/** A single node needs no parent. */
function above(digest: Digest, level: number, { nodes, rules }: Level): Placed {
  const [first, second] = nodes;
  if (first !== undefined && second === undefined) return first;
  const wanted = nodes.reduce((sum, { node }) => sum + node.tokensMax, 0);
  const tokensMax = Math.min(wanted, rules.sizes.innerFacts);
  return placed(first?.key, inner(digest, { level, tokensMax }, { nodes, rules }));
}

function root(digest: Digest, level: number, { nodes, rules }: Level): SegmentNode {
  return inner(digest, { level, tokensMax: DEPTH_TOKENS_MAX.detailed }, { nodes, rules });
}

function inner(
  digest: Digest,
  made: Pick<SegmentNode, 'level' | 'tokensMax'>,
  { nodes, rules }: Level,
): SegmentNode {
  const children = nodes.map(({ node }) => node);
  const inputs = children.map(({ id }) => id);
  return nodeOf(digest, { ...made, sources: [], children }, { inputs, rules });
}

function nodeOf(
  digest: Digest,
  made: Omit<SegmentNode, 'id' | 'sourceHash'>,
  { inputs, rules }: { inputs: readonly unknown[]; rules: TreeRules },
): SegmentNode {
  const sourceHash = digest(JSON.stringify(inputs));
  const id = digest(JSON.stringify([made.level, made.tokensMax, sourceHash, rules.recipeHash]));
  return { ...made, id, sourceHash };
}

/** Placed by its first source, which stays the same when other sources of its stretch change. */
function placed(key: string | undefined, node: SegmentNode): Placed {
  return { key: key ?? node.id, weight: Math.ceil(node.tokensMax * FACT_WEIGHT), node };
}

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSegmented, segmentSizes, sourceWeight } from '#core/segments/segment-sizes.ts';
import { nodesOf, readyNodes, segmentTree, type SegmentNode } from '#core/segments/segment-tree.ts';
import type { Source } from '#core/sources/source.ts';
import { digest, idOf, NOW } from '#test/conformance/samples.ts';
import { source } from '../unit/core/prompt-batch.ts';

const WINDOW = 32_000;
const PRICE = { inputMicroDollarsPerMillion: 1, outputMicroDollarsPerMillion: 1 };
const paid = (inputTokensMax: number) => ({ price: PRICE, inputTokensMax });
const free = (inputTokensMax: number) => ({ price: null, inputTokensMax });

function sourceOf(n: number, tokens = 30, said = `what was said ${String(n)}`): Source {
  return source(idOf(n), said, { contentHash: digest(said), tokens, at: NOW + n });
}

/** Most of a changed scope is what it was; its hashes need not be computed again. */
const digests = new Map<string, string>();
function digestOnce(text: string): string {
  const known = digests.get(text) ?? digest(text);
  digests.set(text, known);
  return known;
}

const many = (count: number, tokens?: number) =>
  Array.from({ length: count }, (_, n) => sourceOf(n, tokens));
const treeOf = (sources: readonly Source[], recipeHash = 'recipe', window = WINDOW) =>
  segmentTree(digestOnce, sources, { recipeHash, sizes: segmentSizes(paid(window)) });
const depthOf = (node: SegmentNode): number => 1 + Math.max(0, ...node.children.map(depthOf));
const inputOf = ({ sources, children }: SegmentNode) =>
  [...sources.map(({ tokens }) => tokens), ...children.map(({ tokensMax }) => tokensMax)].reduce(
    (sum, tokens) => sum + tokens,
    0,
  );

const idsOf = (sources: readonly Source[]): ReadonlySet<string> =>
  new Set(nodesOf(treeOf(sources)).map(({ id }) => id));

/** Nodes of the tree that would have to be made. */
function newNodes(known: ReadonlySet<string>, after: readonly Source[]): readonly SegmentNode[] {
  return nodesOf(treeOf(after)).filter(({ id }) => !known.has(id));
}

describe('the tree of a large scope', () => {
  const scope = many(10_000);
  const known = idsOf(scope);

  test('has leaves, one level between and a root for 10,000 memories', () => {
    const tree = treeOf(scope);
    expect(depthOf(tree)).toBe(3);
    expect(nodesOf(tree).flatMap(({ sources }) => sources)).toEqual(scope);
    expect(treeOf(scope)).toEqual(tree);
  });

  test.each<[string, (all: readonly Source[]) => readonly Source[]]>([
    ['an added memory', (all) => [...all, sourceOf(10_000)]],
    ['a changed memory', (all) => all.with(4_321, sourceOf(4_321, 31, 'something else'))],
    ['a removed memory', (all) => all.toSpliced(5_678, 1)],
  ])('has exactly three new nodes after %s', (_, change) => {
    const made = newNodes(known, change(scope));
    expect(made.map(({ level }) => level)).toEqual([0, 1, 2]);
  });

  test('has three new nodes in nearly all of 60 changes, and never six', () => {
    const counts = Array.from({ length: 60 }, (_, n) => {
      const at = Number.parseInt(digest(`place ${String(n)}`).slice(0, 8), 16) % scope.length;
      const changed = scope.with(at, sourceOf(at, 30, `another thing ${String(n)}`));
      return newNodes(known, changed).length;
    });
    expect(counts.filter((count) => count === 3).length).toBeGreaterThanOrEqual(57);
    expect(Math.max(...counts)).toBeLessThanOrEqual(5);
  }, 60_000);

  test.each([
    [100_000, 32_000],
    [10_000, 8_000],
    [10_000, 2_000],
  ])(
    'has no node of %d memories that is too large for a window of %d tokens',
    (count, window) => {
      const tree = treeOf(many(count), 'recipe', window);
      expect(nodesOf(tree).flatMap(({ sources }) => sources)).toHaveLength(count);
      for (const node of nodesOf(tree)) expect(inputOf(node)).toBeLessThan(window / 2);
    },
    60_000,
  );

  test('has entirely new nodes for another recipe', () => {
    const sources = many(1_000);
    const ids = new Set(nodesOf(treeOf(sources)).map(({ id }) => id));
    expect(nodesOf(treeOf(sources, 'other')).filter(({ id }) => ids.has(id))).toEqual([]);
  });

  test('may consist of a single source of any length', () => {
    expect(depthOf(treeOf([sourceOf(1, 20_000)]))).toBe(1);
  });

  test('makes each node ready once, after its children', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2_000 }),
        fc.integer({ min: 1, max: 9 }),
        (count, take) => {
          const tree = treeOf(many(count, 200), 'recipe', 4_000);
          const known = new Set<string>();
          const made: string[] = [];
          for (;;) {
            const ready = readyNodes(tree, (id) => known.has(id)).slice(0, take);
            if (ready.length === 0) break;
            for (const { id, children } of ready) {
              expect(children.every((child) => known.has(child.id))).toBe(true);
              made.push(id);
              known.add(id);
            }
          }
          expect(made.toSorted()).toEqual(
            nodesOf(tree)
              .map(({ id }) => id)
              .toSorted(),
          );
        },
      ),
      { numRuns: 20 },
    );
  }, 60_000);
});

describe('the segmentation of a scope', () => {
  test.each([
    ['does not split a small scope', paid(128_000), 200, 30, false],
    ['splits a scope above the limit', paid(128_000), 400, 30, true],
    ['splits a small scope for a small window', paid(8_000), 200, 30, true],
    ['does not split 5,000 memories without a model', free(1_000_000), 5_000, 30, false],
    ['splits more than the extractive summarizer reads at once', free(1_000_000), 10_000, 30, true],
  ])('%s', (_, model, count, tokens, expected) => {
    const weight = sourceWeight({ tokens: count * tokens, count });
    expect(isSegmented(weight, model)).toBe(expected);
  });
});

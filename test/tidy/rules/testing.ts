/** Tests run, all of them, against the real modules. */
import { isCode, type Finding, type Rule, type SourceFile } from '../source-file.ts';
import { chainOf, isNode, lineAt, rootOf, treeOf, walk, type SyntaxNode } from '../syntax.ts';

const MODULE_MOCKS = new Set(['mock', 'doMock', 'unmock', 'hoisted', 'spyOn', 'stubGlobal']);
const MOCKERS = new Set(['vi', 'vitest', 'jest']);
const SKIPPING = new Set(['fails', 'only', 'runIf', 'skip', 'skipIf', 'todo']);
const TEST_WORDS = new Set(['bench', 'describe', 'it', 'suite', 'test']);
const SKIPPING_CALLS = new Set(['fdescribe', 'fit', 'xdescribe', 'xit', 'xtest']);

/** The one place that may skip: what it skips is counted and shown in the last line of a run. */
export const MAY_SKIP = 'test/cluster/needs.ts';

/** A replaced module proves that the replacement works. Pass another port instead. */
export const noModuleMocks: Rule = (file) =>
  calls(file, (callee) => {
    const [left = '', right = ''] = chainOf(callee).split('.');
    if (!MOCKERS.has(left) || !MODULE_MOCKS.has(right)) return null;
    return `${left}.${right} replaces what is tested; pass a port of your own`;
  });

export const noSkippedTests: Rule = (file) => {
  if (file.path === MAY_SKIP) return [];
  return calls(file, (callee) => {
    const chain = chainOf(callee);
    const skips = TEST_WORDS.has(rootOf(callee)) && modifiersOf(callee).some(isSkipping);
    if (!skips && !SKIPPING_CALLS.has(chain)) return null;
    return `skips or singles out tests; run them all, or skip through ${MAY_SKIP}`;
  });
};

function calls(file: SourceFile, judge: (callee: SyntaxNode) => string | null): readonly Finding[] {
  if (!isCode(file)) return [];
  const findings: Finding[] = [];
  walk(treeOf(file), (node) => {
    const { callee } = node;
    if (node.type !== 'CallExpression' || !isNode(callee)) return;
    const problem = judge(callee);
    if (problem === null) return;
    findings.push({ path: file.path, line: lineAt(file.text, node.start), problem });
  });
  return findings;
}

/** `skip` of `test.skip(…)` and of `test.skip.each(…)(…)`, where only the first is the callee. */
function modifiersOf(callee: SyntaxNode): readonly string[] {
  return callee.type === 'MemberExpression' ? chainOf(callee).split('.').slice(1) : [];
}

function isSkipping(modifier: string): boolean {
  return SKIPPING.has(modifier);
}

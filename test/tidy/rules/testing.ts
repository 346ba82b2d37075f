/** Tests run against the real modules. */
import { isCode, type Finding, type Rule } from '../source-file.ts';
import { chainOf, isNode, lineAt, treeOf, walk } from '../syntax.ts';

const MODULE_MOCKS = new Set(['mock', 'doMock', 'unmock', 'hoisted', 'spyOn', 'stubGlobal']);
const MOCKERS = new Set(['vi', 'vitest', 'jest']);

/** A replaced module proves that the replacement works. Pass another port instead. */
export const noModuleMocks: Rule = (file) => {
  if (!isCode(file)) return [];
  const findings: Finding[] = [];
  walk(treeOf(file), (node) => {
    const { callee } = node;
    if (node.type !== 'CallExpression' || !isNode(callee)) return;
    const [left = '', right = ''] = chainOf(callee).split('.');
    if (!MOCKERS.has(left) || !MODULE_MOCKS.has(right)) return;
    const problem = `${left}.${right} replaces what is tested; pass a port of your own`;
    findings.push({ path: file.path, line: lineAt(file.text, node.start), problem });
  });
  return findings;
};

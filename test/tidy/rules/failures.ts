/** A failure is rethrown, translated or recorded; an empty catch is none of them. */
import { isCode, type Finding, type Rule } from '../source-file.ts';
import { isNode, lineAt, treeOf, walk } from '../syntax.ts';

/** A comment inside does not help: the failure is gone all the same. */
export const noEmptyCatch: Rule = (file) => {
  if (!isCode(file)) return [];
  const findings: Finding[] = [];
  walk(treeOf(file), (node) => {
    const { body } = node;
    if (node.type !== 'CatchClause' || !isNode(body)) return;
    if (Array.isArray(body['body']) && body['body'].length > 0) return;
    const problem = 'swallows a failure; rethrow it, translate it or name the outcome';
    findings.push({ path: file.path, line: lineAt(file.text, node.start), problem });
  });
  return findings;
};

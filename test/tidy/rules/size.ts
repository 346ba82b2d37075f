/** Files, functions and lines that a person can take in. */
import { isCode, type Finding, type Rule, type SourceFile } from '../source-file.ts';
import { lineAt, rootOf, treeOf, walk, type SyntaxNode } from '../syntax.ts';

export const FILE_LINES_MAX = 400;
export const FUNCTION_LINES_MAX = 70;
const LINE_CHARACTERS_MAX = 100;
/** The name of a test is one sentence, and a formatter cannot break it. */
const NAME_CHARACTERS_MAX = 120;
const NAME = /^\s*(?:describe|it|test)\(['"`]/u;

const FUNCTIONS: ReadonlySet<string> = new Set([
  'ArrowFunctionExpression',
  'FunctionDeclaration',
  'FunctionExpression',
]);
const TEST_CALLS: ReadonlySet<string> = new Set(['describe', 'it', 'suite', 'test']);

export const shortFiles: Rule = (file) => {
  if (!isWritten(file)) return [];
  const lines = file.text.trimEnd().split('\n').length;
  if (lines <= FILE_LINES_MAX) return [];
  const problem = `has ${String(lines)} lines; part it, ${String(FILE_LINES_MAX)} is the limit`;
  return [{ path: file.path, line: FILE_LINES_MAX + 1, problem }];
};

export const shortLines: Rule = (file) => {
  if (!isWritten(file)) return [];
  return file.text.split('\n').flatMap((line, index) => {
    const limit = NAME.test(line) ? NAME_CHARACTERS_MAX : LINE_CHARACTERS_MAX;
    const problem = `has ${String(line.length)} characters; ${String(limit)} is the limit`;
    return line.length > limit ? [{ path: file.path, line: index + 1, problem }] : [];
  });
};

/** A function that holds tests is a table of contents: what counts there are the tests. */
export const shortFunctions: Rule = (file) => {
  if (!isCode(file)) return [];
  const findings: Finding[] = [];
  walk(treeOf(file), (node) => {
    if (!FUNCTIONS.has(node.type)) return;
    const lines = lineAt(file.text.slice(node.start, node.end), Infinity);
    if (lines <= FUNCTION_LINES_MAX || holdsTests(node)) return;
    const line = lineAt(file.text, node.start);
    const problem = `a function of ${String(lines)} lines; part it (${String(FUNCTION_LINES_MAX)})`;
    findings.push({ path: file.path, line, problem });
  });
  return findings;
};

function holdsTests(node: SyntaxNode): boolean {
  let found = false;
  walk(node, (inner) => {
    if (inner.type === 'CallExpression' && TEST_CALLS.has(rootOf(inner))) found = true;
  });
  return found;
}

/** Written by a person: go.mod and lock files are not. */
function isWritten({ path }: SourceFile): boolean {
  return /\.(?:ts|mjs|go)$/u.test(path);
}

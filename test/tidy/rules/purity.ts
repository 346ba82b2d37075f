/** The environment is read in one place; the domain gets time, ids and randomness as arguments. */
import { isCode, type Finding, type Rule } from '../source-file.ts';
import { chainOf, isNode, lineAt, treeOf, walk, type SyntaxNode } from '../syntax.ts';

/** Tests, measurements, scripts and examples are started by people, so they may ask. */
const MAY_READ_ENVIRONMENT = /^(?:test|bench|scripts|examples)\/|^cli\/config\.ts$/u;
const MAIN = 'cli/main.ts';

/** What differs from call to call. Workflows have a clock of their own that replays. */
const CLOCKS = ['Date.now', 'performance.now'];
const CHANCE = ['Math.random', 'crypto.randomUUID', 'randomUUID', 'crypto.getRandomValues'];

export const environmentInOnePlace: Rule = (file) => {
  if (!isCode(file) || MAY_READ_ENVIRONMENT.test(file.path)) return [];
  const findings: Finding[] = [];
  walk(treeOf(file), (node, around) => {
    if (node.type !== 'MemberExpression' || chainOf(node) !== 'process.env') return;
    if (file.path === MAIN && isPassedOn(around.at(-1))) return;
    const problem = 'reads process.env; take the value from cli/config.ts';
    findings.push({ path: file.path, line: lineAt(file.text, node.start), problem });
  });
  return findings;
};

export const purePlaces: Rule = (file) => {
  const isWorkflow = file.path.startsWith('workflows/');
  if (!isCode(file) || !(isWorkflow || file.path.startsWith('core/'))) return [];
  const banned = isWorkflow ? CHANCE : [...CHANCE, ...CLOCKS];
  const findings: Finding[] = [];
  walk(treeOf(file), (node) => {
    const called = node.type === 'CallExpression' ? chainOf(node['callee']) : '';
    const now = isNewDate(node) && !isWorkflow ? 'new Date()' : '';
    const found = banned.includes(called) ? `${called}()` : now;
    if (found === '') return;
    const problem = `calls ${found}; take the value as an argument`;
    findings.push({ path: file.path, line: lineAt(file.text, node.start), problem });
  });
  return findings;
};

/** `readConfig(process.env, …)`, and the log level, which is needed before there is a config. */
function isPassedOn(parent: SyntaxNode | undefined): boolean {
  if (parent === undefined) return false;
  if (parent.type === 'CallExpression') return chainOf(parent['callee']) === 'readConfig';
  return chainOf(parent) === 'process.env.VARVE_LOG_LEVEL';
}

function isNewDate(node: SyntaxNode): boolean {
  const { type, callee, arguments: given } = node;
  return (
    type === 'NewExpression' &&
    isNode(callee) &&
    chainOf(callee) === 'Date' &&
    Array.isArray(given) &&
    given.length === 0
  );
}

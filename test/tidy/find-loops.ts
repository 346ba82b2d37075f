/** Finds what keeps running in the product's sources: timers, and loops that wait. */
import type { SourceFile } from './source-file.ts';
import { isNode, lineAt, treeOf, walk, type SyntaxNode } from './syntax.ts';

export interface FoundLoop {
  /** `folder/file.ts function`: of a nested function the outermost name of its own. */
  readonly place: string;
  readonly line: number;
}

const TIMERS = /^(?:setInterval|setTimeout)$/u;
const ENDLESS = new Set(['WhileStatement', 'DoWhileStatement', 'ForStatement']);
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/** Each place once, however many timers and loops it has. */
export function findLoops(file: SourceFile): readonly FoundLoop[] {
  const isPromised = /import \{[^}]*\bsetTimeout\b(?! as)[^}]*\} from 'node:timers\/promises'/u;
  const found = new Map<string, FoundLoop>();
  walk(treeOf(file), (node, around) => {
    const isTimer = isTimerCall(node) && !isPromised.test(file.text);
    if (!isTimer && !isWaitingLoop(node)) return;
    const place = `${file.path} ${nameAround(around)}`;
    if (!found.has(place)) found.set(place, { place, line: lineAt(file.text, node.start) });
  });
  return [...found.values()];
}

/** With a function of its own to run; of a promise the loop around it is found. */
function isTimerCall({ type, callee }: SyntaxNode): boolean {
  if (type !== 'CallExpression' || !isNode(callee)) return false;
  return callee.type === 'Identifier' && TIMERS.test(String(callee['name']));
}

/** A loop without a list to walk over, within which something is awaited. */
function isWaitingLoop(node: SyntaxNode): boolean {
  if (!ENDLESS.has(node.type)) return false;
  if (node.type === 'ForStatement' && isNode(node['test'])) return false;
  return isAwaiting(node);
}

function isAwaiting(node: unknown): boolean {
  if (!isNode(node)) return false;
  if (node.type === 'AwaitExpression') return true;
  if (FUNCTIONS.has(node.type)) return false;
  return Object.values(node)
    .flat()
    .some((child) => isAwaiting(child));
}

/** The nearest function, method or variable that has a name. */
function nameAround(around: readonly SyntaxNode[]): string {
  for (const node of around.toReversed()) {
    const { type, id, key } = node;
    const name = type === 'VariableDeclarator' && !isFunction(node['init']) ? null : (id ?? key);
    if (isNode(name) && (name.type === 'Identifier' || name.type === 'PrivateIdentifier')) {
      return `${name.type === 'PrivateIdentifier' ? '#' : ''}${String(name['name'])}`;
    }
  }
  return 'module';
}

function isFunction(node: unknown): boolean {
  return isNode(node) && FUNCTIONS.has(node.type);
}

/** The syntax tree of a file, from the parser that the test runner includes. */
import { parseAst } from 'vitest/node';
import type { SourceFile } from './source-file.ts';

/** A node as ESTree and its TypeScript extension have it. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** A tree serves every rule that looks at the file, and goes with the file. */
const trees = new WeakMap<SourceFile, SyntaxNode>();

export function treeOf(file: SourceFile): SyntaxNode {
  const known = trees.get(file);
  if (known !== undefined) return known;
  const lang = file.path.endsWith('.mjs') ? 'js' : 'ts';
  const tree: unknown = parseAst(file.text, { lang }, file.path);
  if (!isNode(tree)) throw new Error(`${file.path} has no syntax tree`);
  trees.set(file, tree);
  return tree;
}

type Visit = (node: SyntaxNode, around: readonly SyntaxNode[]) => void;

/**
 * Calls `visit` for every node from the outside in, with the nodes around it, nearest last. The
 * list of those is the same one for every call, so it holds only while `visit` runs.
 */
export function walk(node: SyntaxNode, visit: Visit): void {
  walkInside(node, visit, []);
}

function walkInside(node: SyntaxNode, visit: Visit, around: SyntaxNode[]): void {
  visit(node, around);
  around.push(node);
  for (const field of Object.keys(node)) {
    const value = node[field];
    const children = Array.isArray(value) ? (value as readonly unknown[]) : [value];
    for (const child of children) if (isNode(child)) walkInside(child, visit, around);
  }
  around.pop();
}

export function isNode(value: unknown): value is SyntaxNode {
  return (
    typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
  );
}

/** The line of a place in a text, counted from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
    line += 1;
  }
  return line;
}

/** `a.b.c` for a chain of plain members, else ''. */
export function chainOf(node: unknown): string {
  if (!isNode(node)) return '';
  if (node.type === 'Identifier') return String(node['name']);
  if (node.type !== 'MemberExpression') return '';
  const { object, property, computed } = node;
  const name = computed === true ? literalOf(property) : chainOf(property);
  const left = chainOf(object);
  return left === '' || name === '' ? '' : `${left}.${name}`;
}

/** The text of a plain string or template, with `…` for what a template fills in; else ''. */
export function literalOf(node: unknown): string {
  if (!isNode(node)) return '';
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : '';
  if (node.type !== 'TemplateLiteral' || !Array.isArray(node['quasis'])) return '';
  const parts = node['quasis'] as readonly { value: { cooked: string } }[];
  return parts.map(({ value }) => value.cooked).join('…');
}

/** What a call calls at its root: `test` for `test.each(TABLE)('name', run)`. */
export function rootOf(call: SyntaxNode): string {
  let at: unknown = call;
  while (isNode(at) && at.type !== 'Identifier') {
    if (at.type === 'MemberExpression') at = at['object'];
    else if (at.type === 'CallExpression') at = at['callee'];
    else if (at.type === 'TaggedTemplateExpression') at = at['tag'];
    else return '';
  }
  return chainOf(at);
}

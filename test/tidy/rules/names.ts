/** Names that say what a thing is; none that only says that it is something. */
import { isCode, type Finding, type Rule } from '../source-file.ts';
import { chainOf, isNode, lineAt, treeOf, type SyntaxNode } from '../syntax.ts';

const EMPTY_WORDS = 'common helper helpers manager misc smart util utils'.split(' ');
/** In a signature these may be right (`engine` of a health report), as a place they are not. */
const EMPTY_PLACES: ReadonlySet<string> = new Set([
  ...EMPTY_WORDS,
  'data',
  'engine',
  'handler',
  'handlers',
  'info',
  'v2',
]);

/** The data model is a thing of its own. */
const MEANT = /^data-model\b/u;

const KEBAB_CASE = /^\.?[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9-]+)*$/u;
/** Names that other programs and people look for as they are. */
const KNOWN_NAMES: ReadonlySet<string> = new Set([
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'Chart.yaml',
  'Dockerfile',
  'LICENSE',
  'NOTES.txt',
  'README.md',
  '_helpers.tpl',
]);

export const tellingPlaces: Rule = ({ path }) =>
  path.split('/').flatMap((part) => {
    if (KNOWN_NAMES.has(part) || MEANT.test(part)) return [];
    const empty = part.split(/[-_.]/u).find((word) => EMPTY_PLACES.has(word));
    if (empty === undefined) return [];
    return [{ path, line: 1, problem: `"${empty}" says nothing; name what is in it` }];
  });

export const kebabCase: Rule = ({ path }) =>
  path
    .split('/')
    .filter((part) => !KNOWN_NAMES.has(part) && !KEBAB_CASE.test(part))
    .map((part) => ({ path, line: 1, problem: `"${part}" is not kebab-case` }));

export const tellingExports: Rule = (file) => {
  if (!isCode(file)) return [];
  const findings: Finding[] = [];
  for (const { name, start } of exportsOf(treeOf(file))) {
    const empty = wordsOf(name).find((word) => EMPTY_WORDS.includes(word));
    if (empty === undefined) continue;
    const problem = `exports "${name}"; "${empty}" says nothing, name what it does`;
    findings.push({ path: file.path, line: lineAt(file.text, start), problem });
  }
  return findings;
};

interface Name {
  readonly name: string;
  readonly start: number;
}

function exportsOf(tree: SyntaxNode): readonly Name[] {
  const statements = Array.isArray(tree['body']) ? tree['body'].filter(isNode) : [];
  return statements
    .filter(({ type }) => type === 'ExportNamedDeclaration')
    .flatMap((statement) => {
      const specifiers = nodesOf(statement['specifiers']).map(({ exported }) => exported);
      const { declaration } = statement;
      return [...specifiers, ...(isNode(declaration) ? declared(declaration) : [])]
        .filter(isNode)
        .map((id) => ({ name: chainOf(id), start: id.start }));
    });
}

function declared(declaration: SyntaxNode): readonly unknown[] {
  const { type } = declaration;
  return type === 'VariableDeclaration'
    ? nodesOf(declaration['declarations']).map(({ id }) => id)
    : [declaration['id']];
}

function nodesOf(value: unknown): readonly SyntaxNode[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function wordsOf(name: string): readonly string[] {
  return (name.match(/[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])/gu) ?? []).map((word) => word.toLowerCase());
}

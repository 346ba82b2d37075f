/**
 * docs/requirements.md beside the names of the tests. `--print` lists the requirements that no test
 * names, as lines for the list "Not yet built".
 */
import { pathToFileURL } from 'node:url';
import { projectFiles, readProjectFile, ROOT, type Finding, type SourceFile } from './source-file.ts';
import { isNode, lineAt, literalOf, rootOf, treeOf, walk } from './syntax.ts';

export const REQUIREMENTS_FILE = 'docs/requirements.md';

const IN_PART = '## Built in part';
const NOT_YET = '## Not yet built';
const LISTED = /^- ([A-Z][A-Z0-9]*-\d{2}) /gmu;
const ROW = /^\| ([A-Z][A-Z0-9]*-\d{2}) \|/gmu;
const ANY_ID = /\b[A-Z][A-Z0-9]*-\d+\b/gu;

export interface Requirements {
  /** In their order, with their sentences. */
  readonly sentences: ReadonlyMap<string, string>;
  readonly inPart: readonly string[];
  readonly notYet: readonly string[];
}

export interface NamedTest {
  readonly id: string;
  readonly path: string;
  readonly line: number;
}

export function readRequirements({ text }: SourceFile): Requirements {
  const [before = '', after = ''] = text.split(NOT_YET);
  const [list = '', parts = ''] = before.split(IN_PART);
  const lines = [...list.matchAll(/^- ([A-Z][A-Z0-9]*-\d{2}) (.+)$/gmu)];
  return {
    sentences: new Map(lines.map(({ 1: id = '', 2: sentence = '' }) => [id, sentence])),
    inPart: [...parts.matchAll(ROW)].map(({ 1: id = '' }) => id),
    notYet: [...after.matchAll(LISTED)].map(({ 1: id = '' }) => id),
  };
}

/** Every id in the name of a test. Ids of other families, such as STORE, are a suite's own. */
export function namedTests(file: SourceFile): readonly NamedTest[] {
  if (!/^test\/.*\.ts$/u.test(file.path)) return [];
  const named: NamedTest[] = [];
  walk(treeOf(file), (node) => {
    const { arguments: given } = node;
    if (node.type !== 'CallExpression' || !['it', 'test'].includes(rootOf(node))) return;
    const name: unknown = Array.isArray(given) ? given[0] : null;
    if (!isNode(name)) return;
    for (const [id] of literalOf(name).matchAll(ANY_ID)) {
      named.push({ id, path: file.path, line: lineAt(file.text, node.start) });
    }
  });
  return named;
}

/** What is wrong between the list and the tests. */
export function judge(
  { sentences, inPart, notYet }: Requirements,
  tests: readonly NamedTest[],
): readonly Finding[] {
  const covered = new Set(tests.map(({ id }) => id));
  const families = new Set([...sentences.keys()].map(familyOf));
  const at = (problem: string): Finding => ({ path: REQUIREMENTS_FILE, line: 1, problem });
  const unknown = tests
    .filter(({ id }) => families.has(familyOf(id)) && !sentences.has(id))
    .map(({ id, path, line }) => ({ path, line, problem: `there is no requirement ${id}` }));
  const missing = [...sentences.keys()]
    .filter((id) => !covered.has(id) && !notYet.includes(id))
    .map((id) => at(`no test names ${id}; write one, or list it under "Not yet built"`));
  const both = notYet
    .filter((id) => covered.has(id))
    .map((id) => at(`a test names ${id}; take it out of "Not yet built"`));
  const halves = inPart
    .filter((id) => !covered.has(id))
    .map((id) => at(`no test names ${id}; it is not built in part`));
  const strangers = [...inPart, ...notYet]
    .filter((id) => !sentences.has(id))
    .map((id) => at(`lists ${id}, which is no requirement`));
  return [...unknown, ...missing, ...both, ...halves, ...strangers];
}

/** The ids that tests of the project name, and that are requirements. */
export function coveredIds(): ReadonlySet<string> {
  const { sentences } = readRequirements(readProjectFile(REQUIREMENTS_FILE));
  const ids = projectTests().map(({ id }) => id);
  return new Set(ids.filter((id) => sentences.has(id)));
}

/** The samples of this check name requirements that no test is about. */
export function projectTests(): readonly NamedTest[] {
  return projectFiles(ROOT)
    .filter(({ path }) => path.startsWith('test/') && !path.startsWith('test/tidy/'))
    .flatMap(namedTests);
}

function familyOf(id: string): string {
  return id.replace(/-\d+$/u, '');
}

function print(): void {
  const { sentences } = readRequirements(readProjectFile(REQUIREMENTS_FILE));
  const covered = coveredIds();
  for (const [id, sentence] of sentences) {
    if (!covered.has(id)) process.stdout.write(`- ${id} ${sentence}\n`);
  }
}

const [, started = '', ...args] = process.argv;
if (import.meta.url === pathToFileURL(started).href && args.includes('--print')) print();

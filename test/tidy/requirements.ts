/**
 * docs/requirements.md beside the names of the tests. `--print` lists the requirements that no test
 * names; `--write` makes them the list "Not yet built".
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  projectFiles,
  readProjectFile,
  ROOT,
  type Finding,
  type SourceFile,
} from './source-file.ts';
import { lineAt, literalOf, rootOf, treeOf, walk, type SyntaxNode } from './syntax.ts';

export const REQUIREMENTS_FILE = 'docs/requirements.md';

/** An id stands on the tests that prove the requirement best; one on many tests identifies none. */
export const MAX_TESTS_PER_REQUIREMENT = 3;
const KEEP_THE_BEST = `keep the ${MAX_TESTS_PER_REQUIREMENT} that prove it best`;

const IN_PART = '## Built in part';
const NOT_YET = '## Not yet built';
const LISTED = /^- ([A-Z][A-Z0-9]*-\d{2}) /gmu;
const ROW = /^\| ([A-Z][A-Z0-9]*-\d{2}) *\|/gmu;
const ANY_ID = /\b[A-Z][A-Z0-9]*-\d+\b/gu;
const AS_A_NAME = /^[A-Z][A-Z0-9]*-\d{2}(?:, [A-Z][A-Z0-9]*-\d{2})*: /u;

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

/**
 * Every id in the name of a test: in the call itself, or at the head of a text that a table of
 * tests holds. Ids of other families, such as STORE, are a suite's own.
 */
export function namedTests(file: SourceFile): readonly NamedTest[] {
  if (!/^test\/.*\.ts$/u.test(file.path)) return [];
  const named: NamedTest[] = [];
  walk(treeOf(file), (node, around) => {
    const text = literalOf(node);
    const head = AS_A_NAME.exec(text)?.[0];
    const called = isNameOfTest(node, around.at(-1)) ? text : head;
    for (const [id] of (called ?? '').matchAll(ANY_ID)) {
      named.push({ id, path: file.path, line: lineAt(file.text, node.start) });
    }
  });
  return named;
}

function isNameOfTest(node: SyntaxNode, parent: SyntaxNode | undefined): boolean {
  if (parent?.type !== 'CallExpression' || !['it', 'test'].includes(rootOf(parent))) return false;
  const { arguments: given } = parent;
  return Array.isArray(given) && given[0] === node;
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
  const named = tests.filter(({ id }) => sentences.has(id));
  return [...unknown, ...missing, ...both, ...halves, ...strangers, ...overNamed(named)];
}

/** Of a requirement that too many tests name, the tests after the bound. */
function overNamed(tests: readonly NamedTest[]): readonly Finding[] {
  return [...Map.groupBy(tests, ({ id }) => id)].flatMap(([id, named]) =>
    named.slice(MAX_TESTS_PER_REQUIREMENT).map(({ path: file, line }) => ({
      path: file,
      line,
      problem: `${named.length} tests name ${id}; ${KEEP_THE_BEST}`,
    })),
  );
}

/** The ids that tests of the project name, and that are requirements. */
export function coveredIds(): ReadonlySet<string> {
  const { sentences } = readRequirements(readProjectFile(REQUIREMENTS_FILE));
  return new Set([...namedIds()].filter((id) => sentences.has(id)));
}

/** Every id that a test is named by, also those that are no requirement's. */
export function namedIds(): ReadonlySet<string> {
  return new Set(projectTests().map(({ id }) => id));
}

/** The samples of this check name requirements that no test is about. */
export function projectTests(): readonly NamedTest[] {
  return projectFiles(ROOT)
    .filter(({ path: file }) => /^test\/(?!tidy\/|prove\/)/u.test(file))
    .flatMap(namedTests);
}

function familyOf(id: string): string {
  return id.replace(/-\d+$/u, '');
}

function unnamed(): string {
  const { sentences } = readRequirements(readProjectFile(REQUIREMENTS_FILE));
  const covered = coveredIds();
  const left = [...sentences].filter(([id]) => !covered.has(id));
  return left.map(([id, sentence]) => `- ${id} ${sentence}\n`).join('');
}

function write(): void {
  const { text } = readProjectFile(REQUIREMENTS_FILE);
  const [before = ''] = text.split(NOT_YET);
  writeFileSync(path.join(ROOT, REQUIREMENTS_FILE), `${before}${NOT_YET}\n\n${unnamed()}`);
}

const [, started = '', flag] = process.argv;
if (import.meta.url === pathToFileURL(started).href) {
  if (flag === '--write') write();
  else process.stdout.write(unnamed());
}

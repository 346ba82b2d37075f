/** Parses YAML into plain values that remember where each was written. */
import type { FieldPath } from './field-docs.ts';
import { formatPath, type Problem } from './problem-report.ts';
import {
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  type Document,
  type Node,
  Lexer,
  isAlias,
  isCollection,
  visit,
  type YAMLMap,
} from 'yaml';

/**
 * Limits that are checked before YAML is parsed. The parser is recursive for nested values, and
 * takes minutes for some texts of a megabyte. Its lexer reads any text once, so the limits use the
 * lexer.
 */
const DOCUMENTS_MAX = 1_000;
/** Lexical tokens of one file; a full megabyte of ordinary fields has fewer. */
const TOKENS_MAX = 500_000;
/**
 * Brackets within brackets, pairs within pairs (`[a: b: c]`), or consecutive `-` and `?`; Varve's
 * resources need two levels.
 */
const NESTING_MAX = 64;

interface BrokenLimit {
  readonly expected: string;
  readonly found: string;
}

/** Returns the limit that a text breaks, or null. */
function brokenLimit(text: string): BrokenLimit | null {
  let [tokens, documents, markers] = [0, 1, 0];
  const flow = new FlowNesting();
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    if (token === '---') documents += 1;
    flow.read(token);
    if (token === '-' || token === '?') markers += 1;
    else if (token.trim() !== '' || token.includes('\n')) markers = 0;
    if (documents > DOCUMENTS_MAX + 1) return atMost(DOCUMENTS_MAX, 'documents in a file');
    if (tokens > TOKENS_MAX) return atMost(TOKENS_MAX, 'values and marks in a file');
    if (flow.depth > NESTING_MAX || markers > NESTING_MAX) return TOO_DEEP;
  }
  return null;
}

/** How deeply a text is nested in brackets, where the value of a pair may itself be a pair. */
class FlowNesting {
  depth = 0;
  /** Colons since the last comma, for each bracket. */
  readonly #pairs: number[] = [];

  read(token: string): void {
    if (token === '[' || token === '{') {
      this.depth += 1;
      this.#pairs.push(0);
    } else if (token === ']' || token === '}') {
      if (this.#pairs.length === 0) return;
      this.#leavePairs();
      this.#pairs.pop();
      this.depth -= 1;
    } else if (token === ',') this.#leavePairs();
    else if (token === ':') this.#enterPair();
  }

  #enterPair(): void {
    const pairs = this.#pairs.at(-1);
    if (pairs === undefined) return;
    this.#pairs[this.#pairs.length - 1] = pairs + 1;
    // The first pair is the content of the bracket, so it adds no level.
    if (pairs > 0) this.depth += 1;
  }

  #leavePairs(): void {
    const pairs = this.#pairs.at(-1) ?? 0;
    if (pairs === 0) return;
    this.#pairs[this.#pairs.length - 1] = 0;
    this.depth -= pairs - 1;
  }
}

function atMost(count: number, what: string): BrokenLimit {
  return { expected: `at most ${count} ${what}`, found: 'more' };
}

const TOO_DEEP = atMost(NESTING_MAX, 'lists and mappings one within the other');

/** How often anchors may be repeated; a few lines of them can expand to gigabytes. */
const ALIASES_MAX = 100;

interface YamlPlace {
  readonly line: number;
  readonly column: number;
}

/** One YAML document: a plain value, and the place of every field in it. */
export interface SourceDocument {
  readonly file: string;
  readonly value: unknown;
  /** Returns where the value at a path is, or the nearest written value around it. */
  placeOf(path: FieldPath): YamlPlace;
  /** Returns where the name of the field at a path is. */
  placeOfKey(path: FieldPath): YamlPlace;
}

/** Returns a mistake at a path of a document. */
export function problemAt(
  document: SourceDocument,
  path: FieldPath,
  words: Pick<Problem, 'expected' | 'found'> & Partial<Problem>,
): Problem {
  const place = document.placeOf(path);
  return { file: document.file, ...place, path: formatPath(path), example: null, ...words };
}

/** A resource, and the document that contains it. */
export interface Sourced<T> {
  readonly resource: T;
  readonly document: SourceDocument;
}

/** Returns the documents of one file, without empty ones, and the mistakes in its YAML. */
export function parseSource(
  file: string,
  text: string,
): { documents: readonly SourceDocument[]; problems: readonly Problem[] } {
  const refused = (limit: BrokenLimit) => {
    const problem = { file, line: 0, column: 0, path: '', ...limit, example: null };
    return { documents: [], problems: [problem] };
  };
  const limit = brokenLimit(text);
  if (limit !== null) return refused(limit);
  const lines = new LineCounter();
  const options = { lineCounter: lines, prettyErrors: false, uniqueKeys: false } as const;
  const documents: SourceDocument[] = [];
  const problems: Problem[] = [];
  const parsed = parsedDocuments(text, options);
  if (parsed === null) return refused(TOO_DEEP);
  for (const document of parsed) {
    const read = readDocument(document, file, lines);
    if (read === null) continue;
    if ('expected' in read) problems.push(read);
    else documents.push(read);
  }
  return { documents, problems };
}

/** Returns null if the text is nested too deeply in a way that `brokenLimit` misses. */
function parsedDocuments(
  text: string,
  options: Parameters<typeof parseAllDocuments>[1],
): readonly Document[] | null {
  try {
    return [...parseAllDocuments(text, options)];
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Returns null for a document that contains only comments. */
function readDocument(
  document: Document,
  file: string,
  lines: LineCounter,
): SourceDocument | Problem | null {
  const mistake = firstMistake(document);
  if (mistake !== null) {
    const { offset, ...words } = mistake;
    return { file, ...placeAt(lines, offset), path: '', ...words, example: null };
  }
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) return null;
  try {
    return {
      file,
      value: document.toJS({ maxAliasCount: ALIASES_MAX }) as unknown,
      placeOf: (path) => placeAt(lines, locate(contents, path).value),
      placeOfKey: (path) => placeAt(lines, locate(contents, path).key),
    };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    const expected = `anchors that are repeated at most ${ALIASES_MAX} times`;
    const place = placeAt(lines, offsetOf(contents, 0));
    return { file, ...place, path: '', expected, found: 'more repetitions', example: null };
  }
}

/** Returns the offsets of the deepest existing node on the way to a path. */
function locate(root: Node, path: FieldPath): { key: number; value: number } {
  let node: Node | null = root;
  let offsets = { key: offsetOf(root, 0), value: offsetOf(root, 0) };
  for (const key of path) {
    const step = stepInto(node, key, offsets.value);
    if (step === null) break;
    node = step.node;
    offsets = step;
  }
  return offsets;
}

function stepInto(
  node: Node | null,
  key: PropertyKey,
  fallback: number,
): { node: Node | null; key: number; value: number } | null {
  if (isSeq<Node>(node)) {
    const item = node.items[Number(key)];
    if (item === undefined) return null;
    const offset = offsetOf(item, fallback);
    return { node: item, key: offset, value: offset };
  }
  if (!isMap<Node, Node | null>(node)) return null;
  const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === key);
  if (pair === undefined) return null;
  const keyOffset = offsetOf(pair.key, fallback);
  return { node: pair.value, key: keyOffset, value: offsetOf(pair.value, keyOffset) };
}

function offsetOf(node: unknown, fallback = 0): number {
  if (typeof node !== 'object' || node === null || !('range' in node)) return fallback;
  const { range } = node;
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : fallback;
}

function placeAt(lines: LineCounter, offset: number): YamlPlace {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

interface YamlMistake {
  /** Characters from the beginning of the file. */
  readonly offset: number;
  readonly expected: string;
  readonly found: string;
}

/** Returns the first mistake in a document; the others are mostly its consequence. */
function firstMistake(document: Document): YamlMistake | null {
  const error = document.errors[0] ?? document.warnings[0];
  return error === undefined ? wrongNode(document) : { offset: error.pos[0], ...words(error.code) };
}

/** Finds in one walk what the parser accepts, or would take minutes to find in a large file. */
function wrongNode(document: Document): YamlMistake | null {
  const anchors = new Set<string>();
  let mistake: YamlMistake | null = null;
  visit(document, (_, node) => {
    if (isAlias(node) && !anchors.has(node.source)) {
      mistake = { offset: offsetOf(node), ...words('BAD_ALIAS') };
    }
    if ((isScalar(node) || isCollection(node)) && node.anchor !== undefined) {
      anchors.add(node.anchor);
    }
    if (isMap(node)) mistake = wrongKey(node);
    return mistake === null ? undefined : visit.BREAK;
  });
  return mistake;
}

/** Finds a repeated field of a mapping, or one whose name is not plain text. */
function wrongKey(map: YAMLMap): YamlMistake | null {
  const names = new Set<string>();
  for (const { key } of map.items) {
    if (!isScalar(key)) return { offset: offsetOf(key), ...NO_NAME };
    const name = String(key.value);
    if (names.has(name)) return { offset: offsetOf(key), ...TWICE };
    names.add(name);
  }
  return null;
}

const TWICE = {
  expected: 'each field at most once in a mapping',
  found: 'a field that its mapping has already',
};

const NO_NAME = {
  expected: 'a plain text as the name of a field',
  found: 'a list or a mapping',
};

function words(code: string): { expected: string; found: string } {
  const [expected, found] = WORDS[code] ?? ['well-formed YAML', 'something else'];
  return { expected, found };
}

/**
 * Texts by the parser's codes; the parser's own messages quote the file, which may hold secrets.
 */
const WORDS: Readonly<Record<string, readonly [expected: string, found: string]>> = {
  BAD_ALIAS: ['an anchor (&name) before the alias (*name) that repeats it', 'an unknown anchor'],
  BAD_DIRECTIVE: ['YAML 1.2 without a directive', 'a directive (%) that has no meaning here'],
  BAD_DQ_ESCAPE: ['a known escape after \\ in double quotes', 'another character'],
  BAD_INDENT: ['the same indentation for all fields of a mapping', 'another one'],
  BAD_SCALAR_START: ['a text that begins with @ or ` in quotes', 'one without quotes'],
  BLOCK_AS_IMPLICIT_KEY: ['one field a line, with its own fields indented below', 'another field'],
  BLOCK_IN_FLOW: ['only [ ], { } and plain values within brackets', 'indented fields'],
  MISSING_CHAR: ['a closing quote, bracket, or a comma or colon', 'none where it has to be'],
  MULTILINE_IMPLICIT_KEY: ['the name of a field and its colon on one line', 'a line without colon'],
  RESOURCE_EXHAUSTION: ['fewer levels of indentation', 'more than can be read'],
  TAB_AS_INDENT: ['spaces at the beginning of a line', 'a tab'],
  TAG_RESOLVE_FAILED: ['a plain value', 'a tag (!name) that has no meaning here'],
  UNEXPECTED_TOKEN: ['a field (name: value), a list item (- value) or a value', 'something else'],
};

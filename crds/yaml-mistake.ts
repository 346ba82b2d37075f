/** Mistakes in the YAML itself, in words that say what to change. */
import { isAlias, isCollection, isMap, isScalar, visit, type Document, type YAMLMap } from 'yaml';

export interface YamlMistake {
  /** Characters from the beginning of the file. */
  readonly offset: number;
  readonly expected: string;
  readonly found: string;
}

/** The first thing that is wrong with a document; what follows is mostly its consequence. */
export function firstMistake(document: Document): YamlMistake | null {
  const error = document.errors[0] ?? document.warnings[0];
  return error === undefined ? wrongNode(document) : { offset: error.pos[0], ...words(error.code) };
}

/** What the parser lets pass, or would take minutes to find in a large file: one walk finds it. */
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

/** A field that stands twice in its mapping, or whose name is no plain text. */
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

/** By the parser's codes; its messages quote the file, and a file may hold what is nobody's. */
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

function offsetOf(node: unknown): number {
  if (typeof node !== 'object' || node === null || !('range' in node)) return 0;
  const { range } = node;
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : 0;
}

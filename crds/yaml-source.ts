/** YAML text to plain values that remember where each of them was written. */
import {
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  type Document,
  type Node,
} from 'yaml';
import type { FieldPath } from './field.ts';
import type { Problem } from './problem.ts';
import { brokenLimit, TOO_DEEP, type BrokenLimit } from './yaml-limits.ts';
import { firstMistake } from './yaml-mistake.ts';

/** Times that anchors may be repeated; a few lines of them can stand for gigabytes. */
const ALIASES_MAX = 100;

export interface Place {
  readonly line: number;
  readonly column: number;
}

/** One YAML document: a plain value, and the place of every field in it. */
export interface SourceDocument {
  readonly file: string;
  readonly value: unknown;
  /** Where the value at a path stands, or the nearest thing around it that was written. */
  placeOf(path: FieldPath): Place;
  /** Where the name of the field at a path stands. */
  placeOfKey(path: FieldPath): Place;
}

/** A resource and the document it was written in. */
export interface Sourced<T> {
  readonly resource: T;
  readonly document: SourceDocument;
}

/** The documents of one file, without the empty ones, and what is wrong with its YAML. */
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

/** Null for what is nested too deep in a way that `brokenLimit` does not know. */
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

/** Null for a document that holds nothing but comments. */
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

/** Offsets of the deepest node on the way to a path that exists. */
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

function offsetOf(node: Node | null, fallback: number): number {
  return node?.range?.[0] ?? fallback;
}

function placeAt(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

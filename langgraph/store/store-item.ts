/** Converts an item of LangGraph's store to a memory, and back. */
import { createHash } from 'node:crypto';
import type { Item, ListNamespacesOperation } from '@langchain/langgraph';
import { VarveError } from '#core/errors.ts';
import { storableText } from '#core/storable-text.ts';
import { CONTENT_LENGTH_MAX, METADATA_BYTES_MAX } from '#core/records/memory.ts';

/** What a memory holds of an item. */
export interface StoredItem {
  readonly content: string;
  readonly metadata: Record<string, unknown>;
}

export interface ItemKey {
  readonly namespace: readonly string[];
  readonly key: string;
}

/** An item, with its score for the query if it was ranked. */
export interface FoundItem extends Item {
  score?: number;
}

/** Longest JSON of a value that the metadata keeps; the content is only for search. */
const VALUE_IN_METADATA_MAX = METADATA_BYTES_MAX / 4;
const QUERY_LENGTH_MAX = 8_192;
const ID_DIGITS = 32;

/** Returns an id for an item within its scope, whatever characters its key has. */
export function storeItemId({ namespace, key }: ItemKey): string {
  return digest(JSON.stringify([namespace, key]));
}

export function namespaceId(namespace: readonly string[]): string {
  return digest(JSON.stringify(namespace));
}

/**
 * Returns content and metadata of the memory for an item. The content is the text of the chosen
 * fields, so that searches and summaries read words and not JSON.
 * @throws VarveError INVALID_INPUT for a value that JSON can't hold; CONTENT_TOO_LONG
 */
export function storedItem(
  { namespace, key }: ItemKey,
  value: Readonly<Record<string, unknown>>,
  index: false | string[] | undefined,
): StoredItem {
  const json = jsonOf(value);
  if (json.length > CONTENT_LENGTH_MAX) throw tooLong('value', json.length, CONTENT_LENGTH_MAX);
  const isShort = Buffer.byteLength(json) <= VALUE_IN_METADATA_MAX;
  const langgraph = {
    item: storeItemId({ namespace, key }),
    under: namespace.map((_, at) => namespaceId(namespace.slice(0, at + 1))),
    place: JSON.stringify([namespace, key]),
    value: isShort ? json : null,
  };
  const bytes = Buffer.byteLength(JSON.stringify({ langgraph }));
  if (bytes > METADATA_BYTES_MAX) throw tooLong('namespace and key', bytes, METADATA_BYTES_MAX);
  const words = isShort ? wordsOf(value, index) : json;
  const content = words.trim() === '' ? key : words;
  return {
    content: storableText(content.trim() === '' ? 'item' : content),
    metadata: { langgraph },
  };
}

function jsonOf(value: object): string {
  try {
    const json: unknown = JSON.stringify(value);
    if (typeof json === 'string' && json.startsWith('{')) return json;
  } catch (cause) {
    // A field's own toJSON may fail with an error that says more.
    if (!(cause instanceof TypeError)) throw cause;
  }
  throw new VarveError(
    'INVALID_INPUT',
    'value: expected fields that JSON can hold, found a BigInt, a cycle, or no object.',
    { details: { field: 'value' } },
  );
}

/** Returns the item of a memory that `storedItem` made. */
export function readItem(memory: {
  readonly content: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: number;
  readonly updatedAt: number;
}): FoundItem {
  const { place, value } = memory.metadata['langgraph'] as { place: string; value: string | null };
  const [namespace, key] = JSON.parse(place) as [string[], string];
  return {
    namespace,
    key,
    value: JSON.parse(value ?? memory.content) as Record<string, unknown>,
    createdAt: new Date(memory.createdAt),
    updatedAt: new Date(memory.updatedAt),
  };
}

/** Returns the query in a form that Varve accepts. */
export function searchedText(query: string): string {
  return storableText(query).slice(0, QUERY_LENGTH_MAX).toWellFormed();
}

/** Returns namespaces by LangGraph's conditions: distinct, cut to a depth, in order, one page. */
export function namespacesOf(
  found: readonly string[][],
  { matchConditions, maxDepth, limit, offset }: ListNamespacesOperation,
): string[][] {
  const isMatch = (namespace: readonly string[]): boolean =>
    (matchConditions ?? []).every(({ matchType, path }) => {
      const start = matchType === 'prefix' ? 0 : namespace.length - path.length;
      return (
        path.length <= namespace.length &&
        path.every((label, at) => label === '*' || label === namespace[start + at])
      );
    });
  const cut = found.filter(isMatch).map((namespace) => namespace.slice(0, maxDepth));
  const distinct = new Map(cut.map((namespace) => [namespace.join(':'), namespace]));
  const ordered = [...distinct].toSorted(([a], [b]) => a.localeCompare(b, 'en'));
  return ordered.slice(offset ?? 0, (offset ?? 0) + limit).map(([, namespace]) => namespace);
}

/**
 * Returns the text of all fields or of the chosen ones; a single text stands alone, others follow
 * their names.
 */
function wordsOf(
  value: Readonly<Record<string, unknown>>,
  index: false | string[] | undefined,
): string {
  if (index === false) return '';
  const lines = leavesOf(value, '').filter(
    ({ path }) => index === undefined || index.some((chosen) => isUnder(path, chosen)),
  );
  const [only] = lines;
  if (lines.length === 1 && only !== undefined) return only.text;
  return lines.map(({ path, text }) => `${path}: ${text}`).join('\n');
}

interface Leaf {
  readonly path: string;
  readonly text: string;
}

/** The recursion is bounded, since `JSON.stringify` already accepted the value. */
function leavesOf(value: unknown, path: string): readonly Leaf[] {
  if (value === null || value === undefined || value === '') return [];
  if (Array.isArray(value)) return value.flatMap((item) => leavesOf(item, path));
  if (typeof value === 'object') {
    return Object.entries(value).flatMap(([name, item]) =>
      leavesOf(item, path === '' ? name : `${path}.${name}`),
    );
  }
  return [{ path, text: typeof value === 'string' ? value : JSON.stringify(value) }];
}

/**
 * Whether a path is in a chosen field. `a.b`, `a[*].b` and `a[0].b` mean the same here: positions
 * in arrays do not count.
 */
function isUnder(path: string, chosen: string): boolean {
  if (chosen === '$') return true;
  const plain = chosen.replaceAll(/\[[^\]]*\]/gu, '').replace(/^\$\./u, '');
  return path === plain || path.startsWith(`${plain}.`);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, ID_DIGITS);
}

function tooLong(what: string, length: number, maximum: number): VarveError {
  return new VarveError(
    'CONTENT_TOO_LONG',
    `The ${what} of the item takes ${String(length)} characters; ` +
      `${String(maximum)} is the limit. Put it in parts.`,
    { details: { length, maximum } },
  );
}

/** Metadata of a memory: the caller's JSON fields, limited in depth and size. */
import { VarveError } from '../errors.ts';
import { METADATA_BYTES_MAX } from '../records/memory.ts';
import { isStorable, NOT_STORABLE, utf8Bytes } from '../storable-text.ts';

export type Metadata = Readonly<Record<string, unknown>>;

const FIELDS_MAX = 64;
const FIELD_NAME_LENGTH_MAX = 256;
const DEPTH_MAX = 16;
/** Assigning this field would replace the prototype of the target object. */
const PROTOTYPE = '__proto__';

/** What extraction writes to the metadata of a memory. */
export const EXTRACTION_FIELDS = ['topic', 'statement', 'source', 'session', 'speaker'] as const;

interface MetadataProblem {
  readonly path: readonly string[];
  readonly expected: string;
}

interface Place {
  readonly value: unknown;
  readonly path: readonly string[];
}

export function isPlainObject(value: unknown): value is Metadata {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Returns the first problem, or null. Walks without recursion and stops at the limits, so that deep
 * nesting and cycles are harmless.
 */
export function metadataProblem(metadata: Metadata): MetadataProblem | null {
  if (Object.keys(metadata).length > FIELDS_MAX) {
    return { path: [], expected: `at most ${String(FIELDS_MAX)} fields` };
  }
  const tooLarge = { path: [], expected: `at most ${String(METADATA_BYTES_MAX)} bytes of JSON` };
  const waiting: Place[] = [{ value: metadata, path: [] }];
  let places = 0;
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const expected = wrongIn(place);
    if (expected !== null) return { path: place.path, expected };
    places += 1;
    // Every value takes at least one byte.
    if (places > METADATA_BYTES_MAX) return tooLarge;
    for (const [name, value] of entriesOf(place.value)) {
      waiting.push({ value, path: [...place.path, name] });
    }
  }
  const bytes = utf8Bytes(JSON.stringify(metadata));
  return bytes > METADATA_BYTES_MAX ? tooLarge : null;
}

/**
 * Checks the metadata that results from a change; call it where no other change can come in
 * between.
 * @throws VarveError INVALID_INPUT
 */
export function requireMetadata(merged: Metadata): void {
  const problem = metadataProblem(merged);
  if (problem === null) return;
  const issues = [{ path: 'metadata', expected: problem.expected }];
  const found = `the memory would have ${String(Object.keys(merged).length)} fields`;
  const remedy = 'To remove a field, give it the value null.';
  const message = `metadata: ${problem.expected}; ${found}. ${remedy}`;
  throw new VarveError('INVALID_INPUT', message, { details: { issues } });
}

function wrongIn({ value, path }: Place): string | null {
  const name = path.at(-1) ?? '';
  if (path.length > DEPTH_MAX) return `at most ${String(DEPTH_MAX)} levels`;
  if (name === PROTOTYPE || name.length > FIELD_NAME_LENGTH_MAX || !isStorable(name)) {
    return 'expected another field name';
  }
  switch (typeof value) {
    case 'boolean':
      return null;
    case 'number':
      return Number.isFinite(value) ? null : 'expected a finite number';
    case 'string':
      return isStorable(value) ? null : NOT_STORABLE;
    case 'object':
      return value === null || Array.isArray(value) || isPlainObject(value)
        ? null
        : 'expected JSON';
    default:
      return 'expected JSON';
  }
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

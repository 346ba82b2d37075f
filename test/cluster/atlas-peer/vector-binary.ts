/**
 * Vectors on their way to a server that does not know their subtype, and back: they travel as plain
 * bytes behind a mark.
 */
import { Binary, type Document } from 'mongodb';

import type { Body } from './wire-message.ts';

/** Sixteen bytes that nothing else begins with. */
const MARK = Buffer.from('\u0000vector-binary\u0000\t', 'latin1');
/** Documents in documents; BSON itself stops at 100. */
const DEPTH_MAX = 100;

/** Whether bytes hold a marked vector, so that all others need not be read. */
export function holdsMarked(bytes: Buffer): boolean {
  return bytes.includes(MARK);
}

/** The body with its vectors marked; the very same body where it has none. */
export function withMarkedVectors(body: Body): Body {
  return mapped(body, (binary) =>
    binary.sub_type === Binary.SUBTYPE_VECTOR
      ? new Binary(Buffer.concat([MARK, binary.value()]), Binary.SUBTYPE_DEFAULT)
      : binary,
  );
}

/** The body as it was before its vectors were marked. */
export function withVectors(body: Body): Body {
  return mapped(body, unmarked);
}

/** A document of the server, with its vectors as a driver wrote them. */
export function withVectorsOf(document: Document): Document {
  return mapValue(document, unmarked, 0) as Document;
}

function unmarked(binary: Binary): Binary {
  const bytes = Buffer.from(binary.value());
  const isMarked = binary.sub_type === Binary.SUBTYPE_DEFAULT && bytes.indexOf(MARK) === 0;
  return isMarked ? new Binary(bytes.subarray(MARK.length), Binary.SUBTYPE_VECTOR) : binary;
}

function mapped(body: Body, map: (binary: Binary) => Binary): Body {
  const document = mapValue(body.document, map, 0) as Document;
  const lists = body.lists.map((list) => {
    const documents = mapValue(list.documents, map, 0) as Document[];
    return documents === list.documents ? list : { ...list, documents };
  });
  const isSame = document === body.document && lists.every((list, at) => list === body.lists[at]);
  return isSame ? body : { ...body, document, lists };
}

/** The value itself where nothing in it changes. */
function mapValue(value: unknown, map: (binary: Binary) => Binary, depth: number): unknown {
  if (depth > DEPTH_MAX || typeof value !== 'object' || value === null) return value;
  if (value instanceof Binary) return map(value);
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const changed = items.map((item) => mapValue(item, map, depth + 1));
    return changed.every((item, at) => item === items[at]) ? value : changed;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value);
  const changed = entries.map(([name, inner]) => [name, mapValue(inner, map, depth + 1)] as const);
  return changed.every(([, inner], at) => inner === entries[at]?.[1])
    ? value
    : Object.fromEntries(changed);
}

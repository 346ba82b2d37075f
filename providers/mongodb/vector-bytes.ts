/** Vectors as bytes: 32-bit floats, little-endian. A memory has one for each generation at most. */
import { Binary } from 'mongodb';

const BYTES = Float32Array.BYTES_PER_ELEMENT;
/** Element type and padding, which MongoDB's own vectors begin with. */
const HEADER_BYTES = 2;

/** By `vectorKey` of their generations. */
export type Vectors = Readonly<Record<string, Binary>>;

/**
 * The name of a generation as the name of a field, without dots and dollars; the path of its
 * vectors is `vectors.` and this.
 */
export function vectorKey(generation: string): string {
  return generation.replaceAll(/[^A-Za-z0-9-]/gu, (character) => {
    return `_${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}

export function vectorPath(generation: string): string {
  return `vectors.${vectorKey(generation)}`;
}

/**
 * `Vector`: MongoDB's own, which alone a vector index reads. `Bytes`: plain binary, which every
 * server of the protocol keeps. Both take a third of the size of an array.
 */
export type VectorForm = 'Bytes' | 'Vector';

export function encodeVector(vector: readonly number[], form: VectorForm): Binary {
  // One by one: the constructor takes up to ten times as long for an array that was spread.
  const floats = new Float32Array(vector.length);
  for (let at = 0; at < floats.length; at += 1) floats[at] = vector[at] ?? NaN;
  const own = Binary.fromFloat32Array(floats);
  return form === 'Vector' ? own : new Binary(own.value().subarray(HEADER_BYTES));
}

/** Of either form. */
export function decodeVector(stored: Binary): Float32Array {
  const { buffer, byteOffset, byteLength } = stored.value();
  const header = stored.sub_type === Binary.SUBTYPE_VECTOR ? HEADER_BYTES : 0;
  const bytes = new DataView(buffer, byteOffset + header, byteLength - header);
  return Float32Array.from({ length: bytes.byteLength / BYTES }, (_, at) =>
    bytes.getFloat32(at * BYTES, true),
  );
}

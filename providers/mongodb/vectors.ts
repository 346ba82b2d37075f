/** Vectors as bytes: 32-bit floats, little-endian. */
import { Binary } from 'mongodb';

const BYTES = Float32Array.BYTES_PER_ELEMENT;

/**
 * Plain binary, a third of the size of an array. The subtype for vectors waits for a vector index,
 * which alone has a use for it.
 */
export function encodeVector(vector: readonly number[] | null): Binary | null {
  if (vector === null) return null;
  const bytes = new DataView(new ArrayBuffer(vector.length * BYTES));
  for (const [at, value] of vector.entries()) bytes.setFloat32(at * BYTES, value, true);
  return new Binary(new Uint8Array(bytes.buffer));
}

export function decodeVector(stored: Binary | null): number[] | null {
  if (stored === null) return null;
  const { buffer, byteOffset, byteLength } = stored.value();
  const bytes = new DataView(buffer, byteOffset, byteLength);
  return Array.from({ length: byteLength / BYTES }, (_, at) => bytes.getFloat32(at * BYTES, true));
}

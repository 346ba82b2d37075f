/** Vectors of one embedding generation. */

/** The longest vector that is stored. */
export const DIMENSIONS_MAX = 8_192;

/** Returns the cosine of two vectors of equal length; 0 if one has no direction. */
export function cosine(a: readonly number[], b: readonly number[]): number {
  let dot = 0;
  let normA = 0;
  let normB = 0;
  for (let at = 0; at < a.length; at += 1) {
    const x = a[at] ?? 0;
    const y = b[at] ?? 0;
    dot += x * y;
    normA += x * x;
    normB += y * y;
  }
  return normA === 0 || normB === 0 ? 0 : dot / Math.sqrt(normA * normB);
}

/** Converts a cosine to MongoDB's scale of 0 to 1, which is used everywhere (design 6.7). */
export function similarityOf(cosineValue: number): number {
  return (1 + cosineValue) / 2;
}

/**
 * Vectors of this process's latest texts. Owner: the embeddings of one provider. Key: tenant,
 * generation, purpose, content hash. Lifetime: until newer ones need the room. Never invalid, since
 * equal keys always have equal vectors.
 */

/** Numbers kept in all: 8 MB, some thousand vectors of common models. */
const NUMBERS_MAX = 1_000_000;

export interface RecentVectors {
  get(key: string): readonly number[] | undefined;
  put(key: string, vector: readonly number[]): void;
}

export function createRecentVectors(numbersMax = NUMBERS_MAX): RecentVectors {
  const kept = new Map<string, readonly number[]>();
  let numbers = 0;
  const remove = (key: string): void => {
    numbers -= kept.get(key)?.length ?? 0;
    kept.delete(key);
  };
  return {
    get(key) {
      const vector = kept.get(key);
      if (vector === undefined) return undefined;
      // A map keeps the order of insertion, so that what was used last is dropped last.
      kept.delete(key);
      kept.set(key, vector);
      return vector;
    },
    put(key, vector) {
      remove(key);
      kept.set(key, vector);
      numbers += vector.length;
      for (const oldest of kept.keys()) {
        if (numbers <= numbersMax) break;
        remove(oldest);
      }
    },
  };
}

/** A memory that the semantic leg brought up. */
export interface VectorHit {
  readonly id: string;
  /** −1 to 1. */
  readonly cosine: number;
}

/** The best of all, at most `limit`, equally near ones by id; what a later answer says counts. */
export function unitedHits(
  answers: readonly (readonly VectorHit[])[],
  limit: number,
): readonly VectorHit[] {
  const byId = new Map(answers.flat().map((hit) => [hit.id, hit]));
  return [...byId.values()].toSorted(compare).slice(0, limit);
}

/** The nearer first. */
function compare(a: VectorHit, b: VectorHit): number {
  if (a.cosine !== b.cosine) return b.cosine - a.cosine;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

/** MongoDB's score of a cosine index, 0 to 1, as the cosine that it stands for. */
export function cosineOfScore(score: number): number {
  return Math.min(1, Math.max(-1, 2 * score - 1));
}

/** The vectors that a query is compared by, and why there are none where there are none. */
import { VarveError } from '#core/errors.ts';
import type { Calibration } from '#core/search/calibration.ts';
import type { QueryVector } from '#core/search/scope-search.ts';
import { generationsToSearch, type Generation } from './generations.ts';
import type { Call } from './operation.ts';
import type { EngineParts } from './parts.ts';

export const DEGRADATIONS = {
  EmbedderFailed: 'The embedder could not be reached, so memories were found by their words alone.',
  BudgetExhausted: 'The budget does not allow an embedding; memories were found by their words.',
  GenerationNotServed:
    'No configured embedder makes vectors like those of these memories, found by their words ' +
    'alone. Configure it again, or change with varve embeddings migrate.',
  TargetFailed:
    'The new embedding model could not be reached; memories that only it has seen were found by ' +
    'their words alone.',
} as const satisfies Record<string, string>;
export type Degradation = keyof typeof DEGRADATIONS;

export interface QueryVectors {
  /**
   * The active generation first, so that memories are compared by one scale while a change of model
   * fills the other: one that has both would else rank below all that have only the old.
   */
  readonly vectors: readonly QueryVector[];
  readonly calibrations: ReadonlyMap<string, Calibration>;
  /** Null where all generations of the tenant are compared. */
  readonly degradation: Degradation | null;
}

/** @throws VarveError CANCELLED */
export async function queryVectors(
  parts: EngineParts,
  call: Call,
  query: string,
): Promise<QueryVectors> {
  const { active, target } = await generationsToSearch(parts.ports, call);
  const [own, beside] = await Promise.all([
    queryVector(parts, call, { generation: active, query }),
    target === null ? null : queryVector(parts, call, { generation: target, query }),
  ]);
  if (own.ok) parts.backfill.noteReached(call.tenant, 'Read');
  const found = [own, beside].flatMap((each) => (each?.ok === true ? [each] : []));
  return {
    vectors: found.map(({ vector }) => vector),
    calibrations: new Map(found.map(({ calibration }) => [calibration.generation, calibration])),
    degradation: degradationOf(own, beside),
  };
}

type Found =
  | { readonly ok: true; readonly vector: QueryVector; readonly calibration: Calibration }
  | { readonly ok: false; readonly degradation: Degradation };

function degradationOf(own: Found, beside: Found | null): Degradation | null {
  if (!own.ok) return own.degradation;
  return beside?.ok === false ? 'TargetFailed' : null;
}

/** A cosine is of use only where it is known what it means, so both are had or neither. */
async function queryVector(
  { ports, vectors, calibrations }: EngineParts,
  call: Call,
  { generation: { name, embedder }, query }: { generation: Generation; query: string },
): Promise<Found> {
  if (embedder === null) return { ok: false, degradation: 'GenerationNotServed' };
  try {
    const vector = await vectors.query(call, embedder, query);
    const calibration = await calibrations.of(call, embedder);
    return { ok: true, vector: { generation: name, vector }, calibration };
  } catch (error) {
    if (!(error instanceof VarveError) || error.code === 'CANCELLED') throw error;
    const { code } = error;
    ports.platform.log.warn({ tenant: call.tenant, code, generation: name }, 'query not embedded');
    const isUnpaid = code === 'BUDGET_EXHAUSTED';
    return { ok: false, degradation: isUnpaid ? 'BudgetExhausted' : 'EmbedderFailed' };
  }
}

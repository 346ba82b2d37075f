/** Checks that a model returned the kind of vector that it was asked for. */
import { VarveError } from '#core/errors.ts';

/** Maximum deviation of a vector's length from 1: the rounding of single precision. */
const LENGTH_TOLERANCE = 1e-3;

/**
 * Returns the vector at length 1 in single precision. Stores keep this form, so a write returns
 * exactly what later reads return.
 * @throws VarveError MODEL_OUTPUT_INVALID for a vector with another number of dimensions, with a
 * value that is not finite, or without a direction
 */
export function checkedVector(
  vector: readonly number[] | undefined,
  { generation, dimensions }: { generation: string; dimensions: number },
): readonly number[] {
  if (vector?.length !== dimensions) {
    throw invalid(generation, { dimensions, found: vector?.length ?? 0 });
  }
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (!Number.isFinite(squares) || squares === 0) throw invalid(generation, { dimensions });
  const length = Math.sqrt(squares);
  const scale = Math.abs(length - 1) <= LENGTH_TOLERANCE ? 1 : length;
  return vector.map((value) => Math.fround(value / scale));
}

function invalid(generation: string, details: Readonly<Record<string, number>>): VarveError {
  return new VarveError(
    'MODEL_OUTPUT_INVALID',
    'The embedding model returned a vector of another length, of zeros, or with values that are ' +
      'not numbers. Check the model and its dimensions.',
    { details: { generation, ...details } },
  );
}

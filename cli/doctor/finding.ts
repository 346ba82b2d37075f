/** One thing that `varve doctor` found. */
import { VarveError } from '#core/errors.ts';

export interface Finding {
  readonly part: string;
  readonly state: 'ok' | 'note' | 'wrong';
  readonly text: string;
}

/** A part that fails is a finding, not the end of the examination. */
export async function guarded(
  part: string,
  look: () => Promise<Finding | readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return [await look()].flat();
  } catch (error) {
    const text =
      error instanceof VarveError ? `${error.code}: ${error.message}` : 'fails unexpectedly';
    return [{ part, state: 'wrong', text }];
  }
}

/** What calls fail with, for tests that look into it: a failure of Varve, and none of another. */
import { VarveError } from '#core/errors.ts';

/** @throws what is no VarveError, as it is; an Error where the call succeeds */
export async function failureOf(call: Promise<unknown>): Promise<VarveError> {
  const [end] = await Promise.allSettled([call]);
  return thrownBy(() => {
    if (end.status === 'rejected') throw end.reason;
  });
}

/** As `failureOf`, for a call that nothing waits for. */
export function thrownBy(call: () => unknown): VarveError {
  try {
    call();
  } catch (error) {
    if (error instanceof VarveError) return error;
    throw error;
  }
  throw new Error('The call succeeded.');
}

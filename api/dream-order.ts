/** Asks whoever runs dreams for one; what cannot be reached leaves everything as it is owed. */
import { VarveError } from '#core/errors.ts';

/**
 * @param kept what becomes of the order, in a sentence
 * @throws VarveError PROVIDER_ERROR, TIMEOUT where nobody could be asked, and what it refuses by
 */
export async function ordered<T>(order: () => Promise<T>, kept: string): Promise<T> {
  try {
    return await order();
  } catch (error) {
    if (!(error instanceof VarveError) || !error.retryable) throw error;
    const { code, message, details } = error;
    throw new VarveError(code, `${message} ${kept}`, { details, cause: error });
  }
}

/** Lists the models of an endpoint, which costs nothing. */
import { NotFoundError } from 'openai';
import { z } from 'zod';
import { clientOf, type Endpoint } from './client.ts';
import { chatFailure } from './failure.ts';

/** The caller is a person who waits. */
const TIMEOUT_MS = 10_000;
/** Maximum names that are read; aggregators list some hundreds. */
const NAMES_MAX = 5_000;

const List = z.object({ data: z.array(z.object({ id: z.string() })) });

/**
 * Returns the names of the models; null if the endpoint answers but has no list, like some small
 * servers.
 * @throws VarveError PROVIDER_REJECTED for a wrong key; PROVIDER_ERROR for no answer
 */
export async function listModels(
  endpoint: Endpoint,
  now: () => number,
): Promise<readonly string[] | null> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const answer: unknown = await clientOf(endpoint, TIMEOUT_MS).get('/models', { signal });
    const list = List.safeParse(answer);
    return list.success ? list.data.data.slice(0, NAMES_MAX).map(({ id }) => id) : null;
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw chatFailure(error, now());
  }
}

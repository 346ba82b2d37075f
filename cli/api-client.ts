/** A client of a running API, with the same calls as the library. */
import { createTRPCUntypedClient, httpLink, TRPCClientError } from '@trpc/client';
import type { ErrorShape } from '#api/trpc-errors.ts';
import type { ServedLibrary } from '#api/library.ts';
import { mapOperations, servedOperations } from '#api/operations/table.ts';
import type { AppRouter } from '#api/trpc-router.ts';
import { VarveError, type ErrorDetails } from '#core/errors.ts';
import { isErrorCode } from '#core/error-codes.ts';

export type ApiClient = ServedLibrary;

/** Connects to an API. Errors arrive as on the server: code, message, details. */
export function connectApi({ url, token }: { url: string; token: string }): ApiClient {
  const link = httpLink({ url, headers: { authorization: `Bearer ${token}` } });
  const trpc = createTRPCUntypedClient<AppRouter>({ links: [link] });
  const calls = mapOperations(
    servedOperations(),
    ({ kind }, name) =>
      (input?: unknown) =>
        withKnownErrors(kind === 'query' ? trpc.query(name, input) : trpc.mutation(name, input)),
  );
  return calls as unknown as ApiClient;
}

async function withKnownErrors<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof TRPCClientError)) throw error;
    const shape: unknown = error.data;
    const { code, details, retryable } = shapeOf(shape);
    const isSettled = retryable === false;
    if (isErrorCode(code)) {
      throw new VarveError(code, error.message, { details, cause: error, isSettled });
    }
    const message = 'The API does not answer. Check its address, and that it runs.';
    throw new VarveError('PROVIDER_ERROR', message, { cause: error });
  }
}

function shapeOf(shape: unknown): Partial<ErrorShape> & { readonly details: ErrorDetails } {
  if (typeof shape !== 'object' || shape === null) return { details: {} };
  return { details: {}, ...shape };
}

/** A running API by its address, with the same calls as the library. */
import { createTRPCClient, httpLink, TRPCClientError } from '@trpc/client';
import type { AppRouter } from '#api/router.ts';
import { isErrorCode, VarveError, type ErrorDetails } from '#core/errors.ts';
import type { Varve } from './open-varve.ts';

export type ApiClient = Omit<Varve, 'refresh' | typeof Symbol.asyncDispose>;

/** Errors come back as what they were on the server: code, message, details. */
export function connectApi({ url, token }: { url: string; token: string }): ApiClient {
  const link = httpLink({ url, headers: { authorization: `Bearer ${token}` } });
  const trpc = createTRPCClient<AppRouter>({ links: [link] });
  return {
    memory: {
      add: (input) => told(trpc.memory.add.mutate(input)),
      get: (input) => told(trpc.memory.get.query(input)),
      update: (input) => told(trpc.memory.update.mutate(input)),
      bulkAdd: (input) => told(trpc.memory.bulkAdd.mutate(input)),
      delete: (input) => told(trpc.memory.delete.mutate(input)),
      bulkDelete: (input) => told(trpc.memory.bulkDelete.mutate(input)),
      compact: (input) => told(trpc.memory.compact.mutate(input)),
      compactionStatus: (input) => told(trpc.memory.compactionStatus.query(input)),
      search: (input) => told(trpc.memory.search.query(input)),
      list: (input) => told(trpc.memory.list.query(input)),
      history: (input) => told(trpc.memory.history.query(input)),
    },
    conversation: { append: (input) => told(trpc.conversation.append.mutate(input)) },
    summary: {
      get: (input) => told(trpc.summary.get.query(input)),
      list: (input) => told(trpc.summary.list.query(input)),
      deadLetters: (input) => told(trpc.summary.deadLetters.query(input)),
      retry: (input) => told(trpc.summary.retry.mutate(input)),
    },
    budget: {
      get: (input) => told(trpc.budget.get.query(input)),
      grant: (input) => told(trpc.budget.grant.mutate(input)),
    },
    daily: {
      append: (input) => told(trpc.daily.append.mutate(input)),
      get: (input) => told(trpc.daily.get.query(input)),
    },
    document: {
      list: (input) => told(trpc.document.list.query(input)),
      get: (input) => told(trpc.document.get.query(input)),
      edit: (input) => told(trpc.document.edit.mutate(input)),
      versions: (input) => told(trpc.document.versions.query(input)),
      restore: (input) => told(trpc.document.restore.mutate(input)),
    },
    dream: {
      run: (input) => told(trpc.dream.run.mutate(input)),
      status: (input) => told(trpc.dream.status.query(input)),
      get: (input) => told(trpc.dream.get.query(input)),
      list: (input) => told(trpc.dream.list.query(input)),
      approve: (input) => told(trpc.dream.approve.mutate(input)),
      reject: (input) => told(trpc.dream.reject.mutate(input)),
      schedules: (input) => told(trpc.dream.schedules.query(input)),
    },
    context: { assemble: (input) => told(trpc.context.assemble.query(input)) },
    health: () => told(trpc.health.query()),
  };
}

async function told<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof TRPCClientError)) throw error;
    const shape: unknown = error.data;
    const { code, details } = shapeOf(shape);
    if (isErrorCode(code)) throw new VarveError(code, error.message, { details, cause: error });
    throw new VarveError('PROVIDER_ERROR', 'The API does not answer.', { cause: error });
  }
}

function shapeOf(shape: unknown): { code: unknown; details: ErrorDetails } {
  if (typeof shape !== 'object' || shape === null) return { code: undefined, details: {} };
  const { code, details } = shape as { code?: unknown; details?: ErrorDetails };
  return { code, details: details ?? {} };
}

/** Answers of writes, and how to rebuild them from what idempotency keeps. */
import { VarveError } from '#core/errors.ts';
import type { BulkAnswer, Written } from '#core/ports/memory-provider.ts';
import type { ItemOutcome } from '#core/ports/write-rules-and-outcomes.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import {
  DeletedAnswer,
  FailedAnswer,
  WrittenAnswer,
  failedAnswer,
  failureAgain,
} from '#core/records/write-answer.ts';
import type { Call } from './measured-call.ts';
import type { ProviderPorts } from './provider-ports.ts';
import { isTransient } from './store-and-embedder-retries.ts';

export function writtenAnswer({
  memory,
  embeddingGenerated,
  deduplicated,
}: Written): WrittenAnswer {
  return { id: memory.id, version: memory.version, embeddingGenerated, deduplicated };
}

/**
 * Returns the memory that a write made, in its current state.
 * @throws VarveError MEMORY_NOT_FOUND if it was deleted since
 */
export async function readWritten(
  { store }: ProviderPorts,
  { tenant, retried }: Call,
  answer: unknown,
): Promise<Written> {
  const { id, embeddingGenerated, deduplicated } = WrittenAnswer.parse(answer);
  const memory = await retried(() => store.memories.get(tenant, id));
  if (memory === null) {
    throw new VarveError(
      'MEMORY_NOT_FOUND',
      'The text that this call wrote has been deleted since.',
      {
        details: { id },
      },
    );
  }
  const scope = await retried(() => store.scopes.get(memory));
  return { memory, embeddingGenerated, deduplicated, scope };
}

export function deletedAnswer(scope: ScopeRecord | null): DeletedAnswer {
  return scope === null ? null : { layer: scope.layer, scopeId: scope.scopeId };
}

/** Returns the current state of the scope that a deletion changed. */
export async function readDeleted(
  { store }: ProviderPorts,
  { tenant, retried }: Call,
  answer: unknown,
): Promise<ScopeRecord | null> {
  const scope = DeletedAnswer.parse(answer);
  return scope === null ? null : retried(() => store.scopes.get({ tenant, ...scope }));
}

/** Counts what succeeded. @param items one per item of the call, in the same order */
export function bulkAnswer<Item extends { readonly ok: boolean }>(items: readonly Item[]) {
  const succeeded = items.filter(({ ok }) => ok).length;
  return { items, succeeded, failed: items.length - succeeded };
}

/** Whether no item failed in a way that the next call may fix. */
export function needsNoRetry<T>({ items }: BulkAnswer<T>): boolean {
  return items.every((item) => item.ok || !(isTransient(item.error) || isCancelled(item.error)));
}

function isCancelled({ code }: VarveError): boolean {
  return code === 'CANCELLED';
}

/** Converts outcomes of many items to and from their kept form. */
export const recallBulk = {
  toAnswer<T>(items: readonly ItemOutcome<T>[], toAnswer: (outcome: T) => unknown): unknown {
    return items.map((item) => (item.ok ? toAnswer(item.outcome) : failedAnswer(item.error)));
  },

  async fromAnswer<T>(
    answer: unknown,
    fromAnswer: (answer: unknown) => Promise<T>,
  ): Promise<BulkAnswer<T>> {
    const items: ItemOutcome<T>[] = [];
    for (const each of answer as readonly unknown[]) {
      items.push(await outcomeAgain(each, fromAnswer));
    }
    return bulkAnswer(items);
  },
};

async function outcomeAgain<T>(
  answer: unknown,
  fromAnswer: (answer: unknown) => Promise<T>,
): Promise<ItemOutcome<T>> {
  const failed = FailedAnswer.safeParse(answer);
  if (failed.success) return { ok: false, error: failureAgain(failed.data) };
  try {
    return { ok: true, outcome: await fromAnswer(answer) };
  } catch (error) {
    if (error instanceof VarveError) return { ok: false, error };
    throw error;
  }
}

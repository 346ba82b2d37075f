/** Procedures on many memories at once: each item has an outcome of its own. */
import { VarveError } from '#core/errors.ts';
import type { MemoryToAdd, Written } from '#core/ports/memory-provider.ts';
import type { ItemOutcome } from '#core/ports/write-rules.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { scopeKey } from '#core/scope-key.ts';
import { policyInForce } from '#core/policy/policy-in-force.ts';
import { memoryToAdd, touchable } from './memories.ts';
import type { ApiPorts } from './api-ports.ts';
import { authorize, type Principal } from './authorize.ts';
import type {
  AddedItem,
  BulkAddMemories,
  BulkDeleteMemories,
  DeletedItem,
  ItemFailure,
} from './schemas/memory.ts';
import { requestRefreshIfDue } from '#memory/request-refresh.ts';

interface BulkAnswer<T> {
  /** One for each item, in their order. */
  readonly items: readonly (T | ItemFailure)[];
  readonly succeeded: number;
  readonly failed: number;
}

/**
 * An input that is not one refuses the whole call before anything is written; what is wrong with
 * one memory otherwise (its layer, its length, its key) is the outcome of that one.
 * @throws VarveError INVALID_INPUT, FORBIDDEN, CONFLICT
 */
export async function bulkAddMemories(
  ports: ApiPorts,
  principal: Principal,
  { tenant, memories, idempotencyKey }: BulkAddMemories,
): Promise<BulkAnswer<AddedItem>> {
  for (const { identifiers } of memories) authorize(principal, { tenant, identifiers });
  const { hierarchy } = await policyInForce(ports.store.policies, tenant);
  const items = memories.map((memory): MemoryToAdd | VarveError => {
    try {
      return memoryToAdd({ ...memory, tenant }, { principal, hierarchy });
    } catch (error) {
      if (error instanceof VarveError) return error;
      throw error;
    }
  });
  const sound = items.filter((item): item is MemoryToAdd => !(item instanceof VarveError));
  const options = { by: principal.name, idempotencyKey: idempotencyKey ?? null };
  const written =
    sound.length === 0 ? [] : (await ports.provider.bulkAdd(tenant, sound, options)).items;
  await requestRefreshes(
    ports,
    written.flatMap((item) => (item.ok ? [item.outcome.scope] : [])),
  );
  let at = 0;
  return counted(
    items.map((item) => {
      if (item instanceof VarveError) return failure(item);
      const outcome = written[at];
      at += 1;
      return addedItem(outcome);
    }),
  );
}

/** What is not there, or is another's, counts as deleted. */
export async function bulkDeleteMemories(
  ports: ApiPorts,
  principal: Principal,
  { tenant, ids, idempotencyKey }: BulkDeleteMemories,
): Promise<BulkAnswer<DeletedItem>> {
  authorize(principal, { tenant });
  const mayTouch = await touchable(ports, principal, { tenant, ids });
  const options = { by: principal.name, idempotencyKey: idempotencyKey ?? null, mayTouch };
  const { items } = await ports.provider.bulkDelete(tenant, ids, options);
  await requestRefreshes(
    ports,
    items.flatMap((item) => (item.ok && item.outcome !== null ? [item.outcome] : [])),
  );
  return counted(
    ids.map((id, at): DeletedItem | ItemFailure => {
      const outcome = items[at];
      return outcome?.ok === false ? failure(outcome.error) : { ok: true, id };
    }),
  );
}

/** Each scope once, by its latest record. */
async function requestRefreshes(ports: ApiPorts, scopes: readonly ScopeRecord[]): Promise<void> {
  const latest = new Map(scopes.map((scope) => [scopeKey(scope), scope]));
  for (const scope of latest.values()) await requestRefreshIfDue(ports, scope);
}

function addedItem(outcome: ItemOutcome<Written> | undefined): AddedItem | ItemFailure {
  if (outcome === undefined) {
    return failure(new VarveError('CORRUPT', 'The provider gave no answer for an item.'));
  }
  if (!outcome.ok) return failure(outcome.error);
  const { memory, embeddingGenerated, deduplicated } = outcome.outcome;
  const { id, key, version } = memory;
  return { ok: true, id, key, version, embeddingGenerated, deduplicated };
}

function failure({ code, message, retryable, details }: VarveError): ItemFailure {
  return { ok: false, error: { code, message, retryable, details } };
}

function counted<T extends { readonly ok: true }>(
  items: readonly (T | ItemFailure)[],
): BulkAnswer<T> {
  const succeeded = items.filter(({ ok }) => ok).length;
  return { items, succeeded, failed: items.length - succeeded };
}

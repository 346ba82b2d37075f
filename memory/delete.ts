/** Deletes memories. A missing memory counts as deleted, so that calls can be repeated. */
import { chunked } from '#core/chunks-and-pages.ts';
import { VarveError } from '#core/errors.ts';
import type { BulkAnswer, DeleteOptions } from '#core/ports/memory-provider.ts';
import { BULK_CHUNK_MAX, type ItemOutcome } from '#core/ports/write-rules-and-outcomes.ts';
import type { Memory } from '#core/records/memory.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { scopeKey } from '#core/scope-key.ts';
import { policyInForce } from '#core/policy/policy-in-force.ts';
import { runOncePerKey } from './run-once-per-key.ts';
import { countFailure, type Call } from './measured-call.ts';
import type { ProviderParts } from './provider-parts.ts';
import { isTransient } from './store-and-embedder-retries.ts';
import {
  bulkAnswer,
  deletedAnswer,
  needsNoRetry,
  readDeleted,
  recallBulk,
} from './write-answers.ts';
import { duePolicyOf } from '#core/refresh/when-to-refresh.ts';

/** Maximum concurrent lookups of memories. */
const LOOKUPS_MAX = 16;

type Deleted = ItemOutcome<ScopeRecord | null>;

type Guard = Required<Pick<DeleteOptions, 'mayTouch' | 'isSourceGone'>>;

export function guardOf({ mayTouch = () => true, isSourceGone = false }: DeleteOptions): Guard {
  return { mayTouch, isSourceGone };
}

/** Deletes a memory; returns its scope after the deletion, null if there was no such memory. */
export async function deleteMemory(
  parts: ProviderParts,
  call: Call,
  { id, key, ...guard }: { id: string; key: string | null } & Guard,
): Promise<ScopeRecord | null> {
  return runOncePerKey(parts, call, {
    key,
    body: id,
    work: async ({ now }) => {
      const outcome = (await deleteAll(parts, call, { ids: [id], now, ...guard })).get(id);
      if (outcome?.ok === false) throw outcome.error;
      return outcome?.outcome ?? null;
    },
    toAnswer: deletedAnswer,
    fromAnswer: (answer) => readDeleted(parts.ports, call, answer),
  });
}

/** Returns one outcome per id, in the same order; a repeated id counts as already deleted. */
export async function bulkDelete(
  parts: ProviderParts,
  call: Call,
  { ids, key, ...guard }: { ids: readonly string[]; key: string | null } & Guard,
): Promise<BulkAnswer<ScopeRecord | null>> {
  const { ports } = parts;
  return runOncePerKey(parts, call, {
    key,
    body: ids,
    work: async ({ now }) => {
      const outcomes = await deleteAll(parts, call, { ids: [...new Set(ids)], now, ...guard });
      for (const outcome of outcomes.values()) {
        if (!outcome.ok) countFailure(ports, call.operation, outcome.error);
      }
      const reported = new Set<string>();
      return bulkAnswer(
        ids.map((id): Deleted => {
          const isAgain = reported.has(id);
          reported.add(id);
          const outcome = outcomes.get(id) ?? { ok: true, outcome: null };
          return isAgain && outcome.ok ? { ok: true, outcome: null } : outcome;
        }),
      );
    },
    isDone: needsNoRetry,
    toAnswer: ({ items }) => recallBulk.toAnswer(items, deletedAnswer),
    fromAnswer: (answer) => recallBulk.fromAnswer(answer, (each) => readDeleted(ports, call, each)),
  });
}

/** Returns the outcomes of the ids that existed. */
async function deleteAll(
  parts: ProviderParts,
  call: Call,
  { ids, now, mayTouch, isSourceGone }: { ids: readonly string[]; now: number } & Guard,
): Promise<ReadonlyMap<string, Deleted>> {
  const { store } = parts.ports;
  const outcomes = new Map<string, Deleted>();
  const policy = await call.retried(() => policyInForce(store.policies, call.tenant));
  const found = (await lookUp(parts, call, ids)).filter((memory) => mayTouch(memory));
  for (const group of Map.groupBy(found, scopeKey).values()) {
    for (const chunk of chunked(group, BULK_CHUNK_MAX)) {
      const [first] = chunk;
      if (first === undefined) break;
      const rules = { policy: duePolicyOf(policy, first.layer), now, by: call.by, isSourceGone };
      const deleted = await deleteChunk(parts, call, { chunk, rules });
      for (const [id, outcome] of deleted) outcomes.set(id, outcome);
    }
  }
  return outcomes;
}

async function lookUp(
  { ports: { store } }: ProviderParts,
  { tenant, retried }: Call,
  ids: readonly string[],
): Promise<readonly Memory[]> {
  const found: Memory[] = [];
  for (const some of chunked(ids, LOOKUPS_MAX)) {
    const memories = await Promise.all(
      some.map((id) => retried(() => store.memories.get(tenant, id))),
    );
    found.push(...memories.filter((memory) => memory !== null));
  }
  return found;
}

type Rules = Parameters<ProviderParts['ports']['store']['memories']['deleteMany']>[1];

/** Deletes memories of one scope. Retries only the items that failed transiently. */
async function deleteChunk(
  { ports: { store } }: ProviderParts,
  call: Call,
  { chunk, rules }: { chunk: readonly Memory[]; rules: Rules },
): Promise<ReadonlyMap<string, Deleted>> {
  const { tenant } = call;
  const outcomes = new Map<string, Deleted>();
  let left = chunk.map(({ id }) => id);
  let isFirst = true;
  const maybeOwn = new Set<string>();
  try {
    await call.retried(async () => {
      if (left.length === 0) return;
      const isRetry = !isFirst;
      isFirst = false;
      const keys = left.map((id) => ({ tenant, id }));
      const answers = await store.memories.deleteMany(keys, rules);
      for (const [place, id] of left.entries()) {
        const answer = answers[place];
        if (answer?.ok === false) outcomes.set(id, answer);
        else outcomes.set(id, { ok: true, outcome: answer?.outcome?.scope ?? null });
        // It existed a moment ago: another caller deleted it, or an attempt whose answer was lost.
        if (isRetry) maybeOwn.add(id);
      }
      left = left.filter((id) => transientIn(outcomes.get(id)) !== null);
      const failure = left.map((id) => transientIn(outcomes.get(id))).at(0) ?? null;
      if (failure !== null) throw failure;
    });
  } catch (error) {
    if (!(error instanceof VarveError) || error.code === 'CANCELLED') throw error;
    for (const id of left) outcomes.set(id, { ok: false, error });
  }
  return withScopes(store.scopes, outcomes, { call, scope: chunk[0], maybeOwn });
}

/** Adds the current scope to the outcomes of memories that a lost attempt may have deleted. */
async function withScopes(
  scopes: ProviderParts['ports']['store']['scopes'],
  outcomes: ReadonlyMap<string, Deleted>,
  {
    call,
    scope,
    maybeOwn,
  }: { call: Call; scope: Memory | undefined; maybeOwn: ReadonlySet<string> },
): Promise<ReadonlyMap<string, Deleted>> {
  const isUnknown = (id: string): boolean => {
    const outcome = outcomes.get(id);
    return maybeOwn.has(id) && outcome?.ok === true && outcome.outcome === null;
  };
  if (scope === undefined || ![...maybeOwn].some(isUnknown)) return outcomes;
  const record = await call.retried(() => scopes.get(scope));
  return new Map(
    [...outcomes].map(([id, outcome]): [string, Deleted] => [
      id,
      isUnknown(id) ? { ok: true, outcome: record } : outcome,
    ]),
  );
}

function transientIn(outcome: Deleted | undefined): VarveError | null {
  return outcome?.ok === false && isTransient(outcome.error) ? outcome.error : null;
}

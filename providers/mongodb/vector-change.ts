/** Changes of vectors of many memories: searches see them, the records of their scopes do not. */
import type { DuePolicy } from '#core/due.ts';
import type { Clock, NewId } from '#core/ports/platform.ts';
import { scopeKey } from '#core/scope.ts';

import type { MemoryDocument, MemoryDocuments } from './memory-document.ts';
import { touchOf } from './memory-write.ts';
import { scopeId } from './scope-document.ts';
import type { Change } from './table.ts';
import { announce, conclude, finishOlder, type IntentTables } from './write-intent.ts';

export interface VectorTables extends IntentTables {
  readonly memories: MemoryDocuments;
  readonly newId: NewId;
  readonly clock: Clock;
}

/** A touch makes nothing due, so that no rule of a policy is asked. */
const NO_POLICY: DuePolicy = {
  layer: { updateIntervalMs: 0, updateOnChanges: 1, maxAgeMs: 0, skipIfUnchanged: true },
  urgentDebounceMs: 0,
};

/**
 * Answers how many were changed; what somebody else changed in between is left for another time.
 * The documents are those of the memories, with their tokens and scopes.
 */
export async function changeVectors(
  tables: VectorTables,
  documents: readonly MemoryDocument[],
  changeFor: (document: MemoryDocument) => Change,
): Promise<number> {
  const scopes = Map.groupBy(documents, ({ _id, layer, scopeId: id }) =>
    scopeKey({ tenant: _id.tenant, layer, scopeId: id }),
  );
  let changed = 0;
  for (const members of scopes.values()) changed += await changeOfScope(tables, members, changeFor);
  return changed;
}

async function changeOfScope(
  tables: VectorTables,
  documents: readonly MemoryDocument[],
  changeFor: (document: MemoryDocument) => Change,
): Promise<number> {
  const [first] = documents;
  if (first === undefined) return 0;
  const scope = scopeId({ ...first, tenant: first._id.tenant });
  const token = tables.newId();
  const ids = documents.map(({ _id }) => _id.id);
  const rules = { policy: NO_POLICY, now: tables.clock() };
  const announced = await announce(tables, scope, [touchOf({ ids }, { token, rules })]);
  await finishOlder(
    tables,
    announced,
    documents.map((document) => document.token),
  );
  const changed = await tables.memories.writeMany(
    documents.map((document) => {
      const change = changeFor(document);
      const set = { ...(change['$set'] as object | undefined), token };
      return {
        condition: { _id: document._id, token: document.token },
        change: { ...change, $set: set },
      };
    }),
  );
  await conclude(tables, scope, { token, verdict: 'Happened' });
  return changed;
}

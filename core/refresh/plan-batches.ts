/**
 * Groups due scopes into batches (design 6.17): urgent scopes first, then the most specific layer,
 * then the oldest. Packs them so that as few model calls as possible make as many summaries as the
 * limits allow.
 */
import { PRECEDENCE, type Layer } from '../layer.ts';
import type { ScopeRecord } from '../records/scope-record.ts';
import type { Usage } from '../records/summary.ts';
import { ATTEMPTS_MAX } from './retries-and-dead-letters.ts';

/** Maximum batches per claim; the next round claims the rest (design 7). */
export const BATCHES_PER_CLAIM_MAX = 8;
/** Maximum summaries per call; more would make answers long and their loss expensive. */
export const ITEMS_PER_BATCH_MAX = 12;

/** Layers that belong to one person or agent and never share a call with another owner's. */
const PRIVATE_LAYERS: ReadonlySet<Layer> = new Set(['agent', 'user', 'session']);

export interface PlannedBatch {
  readonly model: string;
  readonly scopes: readonly ScopeRecord[];
}

/** What one model call can read and write, apart from the rules of its prompt. */
export interface PlannedModel {
  readonly name: string;
  readonly room: Usage;
}

export interface BatchPlan {
  readonly modelOf: (scope: ScopeRecord) => PlannedModel;
  /** What one call reads and writes for a scope; a whole call for a segmented scope. */
  readonly sizeOf: (scope: ScopeRecord) => Usage;
  readonly itemsMax: number;
  readonly batchesMax: number;
}

interface OpenBatch {
  readonly key: string;
  readonly model: PlannedModel;
  readonly scopes: ScopeRecord[];
  used: Usage;
}

/**
 * Packs scopes of one tenant. Deterministic: the same records give the same batches. A scope
 * larger than the limit gets its own batch. Scopes that do not fit stay due.
 */
export function planBatches(
  scopes: readonly ScopeRecord[],
  { modelOf, sizeOf, itemsMax, batchesMax }: BatchPlan,
): readonly PlannedBatch[] {
  const open: OpenBatch[] = [];
  for (const scope of scopes.toSorted(byUrgency)) {
    const model = modelOf(scope);
    const key = batchKey(scope, model.name);
    const size = sizeOf(scope);
    const room = open.find(
      (batch) =>
        batch.key === key &&
        batch.scopes.length < itemsMax &&
        isWithin(addUsage(batch.used, size), model.room),
    );
    if (room !== undefined) {
      room.scopes.push(scope);
      room.used = addUsage(room.used, size);
    } else if (open.length < batchesMax) {
      open.push({ key, model, scopes: [scope], used: size });
    }
  }
  return open.map(({ model, scopes: planned }) => ({ model: model.name, scopes: planned }));
}

/** Whether a scope may share a call with scopes of other owners. */
export function mayShareCall({ layer }: ScopeRecord): boolean {
  return !PRIVATE_LAYERS.has(layer);
}

/**
 * Orders by urgency, then precedence (agent before company), then how long a scope has been due.
 */
export function byUrgency(a: ScopeRecord, b: ScopeRecord): number {
  return (
    Number(b.dueTrigger === 'Urgent') - Number(a.dueTrigger === 'Urgent') ||
    PRECEDENCE[a.layer] - PRECEDENCE[b.layer] ||
    (a.dueAt ?? Infinity) - (b.dueAt ?? Infinity) ||
    (a.scopeId < b.scopeId ? -1 : Number(a.scopeId > b.scopeId))
  );
}

/** Returns the combined usage of two calls. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  };
}

/** Whether a usage fits the room on both sides of a call. */
export function isWithin(used: Usage, room: Usage): boolean {
  return used.inputTokens <= room.inputTokens && used.outputTokens <= room.outputTokens;
}

/**
 * Returns the key that scopes must share to be in one call. The last attempt of a scope runs alone:
 * an item that makes its call fail must not turn others into dead letters too.
 */
function batchKey(scope: ScopeRecord, model: string): string {
  const alone = !mayShareCall(scope) || scope.attempts >= ATTEMPTS_MAX - 1;
  const owner = alone ? [scope.layer, scope.scopeId] : [];
  return JSON.stringify([scope.tenant, model, ...owner]);
}

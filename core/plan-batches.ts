/**
 * Due scopes to batches (design 6.17): urgent first, then the most specific layer, then the oldest,
 * packed so that as few model calls as possible serve as many summaries as the limits allow.
 */
import { PRECEDENCE, type Layer } from './layer.ts';
import type { ScopeRecord } from './records/scope-record.ts';
import { ATTEMPTS_MAX } from './scope-failure.ts';

/** Batches one claim may hold; the rest is claimed in the next round (design 7). */
export const BATCHES_PER_CLAIM_MAX = 8;
/** Summaries one call may be asked for; more make answers long and their loss dear. */
export const ITEMS_PER_BATCH_MAX = 12;

/** Layers whose texts belong to one person or agent: never in a call with another owner's. */
const PRIVATE_LAYERS: ReadonlySet<Layer> = new Set(['agent', 'user', 'session']);

export interface PlannedBatch {
  readonly model: string;
  readonly scopes: readonly ScopeRecord[];
}

export interface BatchLimits {
  /** Tokens of all sources that one call of the model can read. */
  readonly inputTokensMax: number;
  readonly itemsMax: number;
  readonly batchesMax: number;
}

/**
 * Packs scopes of one tenant. Deterministic: the same records give the same batches. A scope larger
 * than the limit has a batch of its own. Scopes that find no place stay due.
 */
export function planBatches(
  scopes: readonly ScopeRecord[],
  modelOf: (scope: ScopeRecord) => string,
  limits: BatchLimits,
): readonly PlannedBatch[] {
  const open: { key: string; model: string; tokens: number; scopes: ScopeRecord[] }[] = [];
  for (const scope of scopes.toSorted(byUrgency)) {
    const model = modelOf(scope);
    const key = batchKey(scope, model);
    const room = open.find(
      (batch) =>
        batch.key === key &&
        batch.scopes.length < limits.itemsMax &&
        batch.tokens + scope.sourceTokens <= limits.inputTokensMax,
    );
    if (room !== undefined) {
      room.scopes.push(scope);
      room.tokens += scope.sourceTokens;
    } else if (open.length < limits.batchesMax) {
      open.push({ key, model, tokens: scope.sourceTokens, scopes: [scope] });
    }
  }
  return open.map(({ model, scopes: planned }) => ({ model, scopes: planned }));
}

/** Urgent, then precedence (agent before company), then how long it has been due. */
export function byUrgency(a: ScopeRecord, b: ScopeRecord): number {
  return (
    Number(b.dueTrigger === 'Urgent') - Number(a.dueTrigger === 'Urgent') ||
    PRECEDENCE[a.layer] - PRECEDENCE[b.layer] ||
    (a.dueAt ?? Infinity) - (b.dueAt ?? Infinity) ||
    (a.scopeId < b.scopeId ? -1 : Number(a.scopeId > b.scopeId))
  );
}

/**
 * What two scopes must have in common to share a call. The last attempt is made alone: an item that
 * makes its call fail must not take its siblings along into the dead letters.
 */
function batchKey(scope: ScopeRecord, model: string): string {
  const alone = PRIVATE_LAYERS.has(scope.layer) || scope.attempts >= ATTEMPTS_MAX - 1;
  const owner = alone ? [scope.layer, scope.scopeId] : [];
  return JSON.stringify([scope.tenant, model, ...owner]);
}

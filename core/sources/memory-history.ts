/** Builds the history entry of a write to a memory, the same in every store. */
import type { MemoryChange, Memory } from '../records/memory.ts';

/** The author of writes that no caller made. */
const OWN_PRINCIPAL = 'varve';

/** Fields whose former values are kept. Vectors are not: they derive from the content. */
const KEPT_FIELDS = [
  'content',
  'contentHash',
  'tokenCount',
  'key',
  'tags',
  'metadata',
  'validFrom',
  'validTo',
  'supersededBy',
  'expiresAt',
  'state',
] as const satisfies readonly (keyof Memory)[];

type Recorded = Omit<Memory, 'vector'>;

/** A memory before and after a write: null after it was deleted. */
export interface MemoryStep {
  readonly action: Exclude<MemoryChange['action'], 'Added'>;
  readonly before: Recorded;
  readonly after: Recorded | null;
}

interface Rules {
  readonly now: number;
  readonly by?: string;
}

/** What a memory records about its addition. An addition has no entry while the memory exists. */
export type HistoryStart = Pick<MemoryChange, 'version' | 'at' | 'principal'>;

export function historyStart({ version }: Pick<Memory, 'version'>, rules: Rules): HistoryStart {
  return { version, at: rules.now, principal: rules.by ?? OWN_PRINCIPAL };
}

/** Returns the history entry of an addition. */
export function firstChange(
  { tenant, id: memoryId, layer, scopeId }: Pick<Memory, 'tenant' | 'id' | 'layer' | 'scopeId'>,
  start: HistoryStart,
): MemoryChange {
  return { tenant, memoryId, layer, scopeId, ...start, action: 'Added', before: {} };
}

/** Returns the history entry of a step. */
export function memoryChange({ action, before, after }: MemoryStep, rules: Rules): MemoryChange {
  const { tenant, id: memoryId, layer, scopeId } = after ?? before;
  return {
    tenant,
    memoryId,
    layer,
    scopeId,
    version: after === null ? before.version + 1 : after.version,
    at: rules.now,
    principal: rules.by ?? OWN_PRINCIPAL,
    action,
    before: formerValues(before, after),
  };
}

function formerValues(before: Recorded, after: Recorded | null): Record<string, unknown> {
  const changed = KEPT_FIELDS.filter(
    (field) => after === null || !isSame(before[field], after[field]),
  );
  return Object.fromEntries(changed.map((field) => [field, before[field]]));
}

/** Compares tags and metadata, which are plain values with a stable field order. */
function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

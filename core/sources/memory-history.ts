/** Builds the history entry of a write to a memory, the same in every store. */
import type { MemoryChange } from '../records/memory-change.ts';
import type { Memory } from '../records/memory.ts';

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

/** A memory before and after a write: null before it was added, and after it was deleted. */
export interface MemoryStep {
  readonly action: MemoryChange['action'];
  readonly before: Recorded | null;
  readonly after: Recorded | null;
}

/**
 * Returns the history entry of a step.
 * @throws RangeError if the memory exists neither before nor after
 */
export function memoryChange(
  { action, before, after }: MemoryStep,
  rules: { readonly now: number; readonly by?: string },
): MemoryChange {
  const memory = after ?? before;
  if (memory === null) throw new RangeError('A change has a memory before it or after it.');
  return {
    tenant: memory.tenant,
    memoryId: memory.id,
    layer: memory.layer,
    scopeId: memory.scopeId,
    version: after === null ? memory.version + 1 : after.version,
    at: rules.now,
    principal: rules.by ?? OWN_PRINCIPAL,
    action,
    before: before === null ? {} : formerValues(before, after),
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

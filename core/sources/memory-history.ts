/** What the history of a memory says of a write: the same in every store. */
import type { MemoryChange } from '../records/memory-change.ts';
import type { Memory } from '../records/memory.ts';

/** Who wrote, where no caller did. */
const OWN_PRINCIPAL = 'varve';

/** Fields whose former values are kept. Vectors are not: they follow from the content. */
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

/** What a write made of a memory: null before it was added, and after it was deleted. */
export interface MemoryStep {
  readonly action: MemoryChange['action'];
  readonly before: Recorded | null;
  readonly after: Recorded | null;
}

/** @throws RangeError for a step from nothing to nothing, which no write is */
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

/** Tags and metadata are plain values that keep the order of their fields. */
function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

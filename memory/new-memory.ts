/** Creates a memory in its first version, and limits its length. */
import { VarveError } from '#core/errors.ts';
import { contentHash } from '#core/hash.ts';
import type { MemoryToAdd } from '#core/ports/memory-provider.ts';
import type { AddRules } from '#core/ports/write-rules-and-outcomes.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import { MEMORY_LENGTH_MAX, type Memory } from '#core/records/memory.ts';
import type { Run } from './run-once-per-key.ts';
import type { Call } from './measured-call.ts';
import type { ProviderPorts } from './provider-ports.ts';
import { duePolicyOf } from '#core/refresh/when-to-refresh.ts';

/** Prefix of the keys of `deduplicate`; a caller's own key may not start with it. */
export const CONTENT_KEY = 'content:';

/** @throws VarveError CONTENT_TOO_LONG with the maximum (MEM-25) */
export function checkLength(content: string): void {
  if (content.length <= MEMORY_LENGTH_MAX) return;
  const { length } = content;
  const message =
    `The content has ${String(length)} characters, and a memory at most ` +
    `${String(MEMORY_LENGTH_MAX)}; split it into sections.`;
  throw new VarveError('CONTENT_TOO_LONG', message, {
    details: { lengthMax: MEMORY_LENGTH_MAX, length },
  });
}

/** Returns the memory, still without a vector. */
export function newMemory(
  { platform, tokens }: ProviderPorts,
  toAdd: MemoryToAdd,
  { tenant, id, now }: { tenant: string } & Pick<Run, 'id' | 'now'>,
): Memory {
  const { layer, scopeId, kind, content, tags, metadata, origin, trust } = toAdd;
  const hash = contentHash(platform.digest, content);
  return {
    tenant,
    id,
    layer,
    scopeId,
    kind,
    content,
    contentHash: hash,
    key: toAdd.key ?? (toAdd.deduplicate === 'Exact' ? `${CONTENT_KEY}${hash}` : null),
    tags: [...new Set(tags)],
    metadata: { ...metadata },
    origin: { ...origin, sources: [...origin.sources] },
    trust,
    validFrom: toAdd.validFrom ?? now,
    ...(toAdd.utcOffset === undefined ? {} : { utcOffset: toAdd.utcOffset }),
    ...(toAdd.mentions === undefined ? {} : { mentions: [...toAdd.mentions] }),
    validTo: null,
    supersededBy: null,
    expiresAt: toAdd.expiresAt,
    state: 'active',
    version: 1,
    createdAt: now,
    updatedAt: now,
    tokenCount: tokens.count(content),
    embeddingGeneration: null,
    vector: null,
  };
}

export function addRules(
  policy: TenantPolicy,
  {
    layer,
    onConflict = 'update',
    supersedes = [],
    restores = [],
    repeats,
  }: Pick<MemoryToAdd, 'layer' | 'onConflict' | 'supersedes' | 'restores' | 'repeats'>,
  { by, now }: Pick<Call, 'by'> & Pick<Run, 'now'>,
): AddRules {
  const onKey = onConflict === 'update' ? 'Update' : 'Unite';
  return { policy: duePolicyOf(policy, layer), now, by, onKey, supersedes, restores, repeats };
}

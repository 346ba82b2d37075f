/** What several operations on memories share. */
import type { Memory } from '#core/records/memory.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { ApiPorts } from './api-ports.ts';
import { authorize, mayReach, type Principal } from './principal.ts';
import type { ShownMemory } from './schemas/shared-answers.ts';
import type { WriteRules } from '#core/ports/write-rules-and-outcomes.ts';
import { duePolicyOf } from '#core/refresh/when-to-refresh.ts';
import type { Layer } from '#core/layer.ts';

/** Returns null both for an unknown id and for a memory that the caller may not reach. */
export async function findMemory(
  { provider, store }: ApiPorts,
  principal: Principal,
  { tenant, id }: { tenant: string; id: string },
): Promise<Memory | null> {
  authorize(principal, { tenant });
  const memory = await provider.get(tenant, id);
  return memory !== null && (await mayReach(store, principal, memory)) ? memory : null;
}

/** A memory as an answer shows it. */
export function shownMemory(memory: Memory, includeVector: boolean): ShownMemory {
  if (includeVector) return memory;
  const { vector: _, ...shown } = memory;
  return shown;
}

export function writeRules(policy: TenantPolicy, layer: Layer, now: number): WriteRules {
  return { policy: duePolicyOf(policy, layer), now };
}

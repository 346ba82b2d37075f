/** Forgets the segments that no summary of a scope is made of any more. */
import type { BatchScope } from './batch.ts';
import type { RefreshPorts } from './refresh-ports.ts';
import { planScope } from './scope-plan.ts';
import type { MadeFacts } from './scope-result.ts';

/**
 * Called after a commit: until then a crash may need what the last summary was made of. A scope
 * that was read whole may have been larger before; only its first summary follows upon nothing.
 */
export async function forgetSegments(
  ports: RefreshPorts,
  scope: BatchScope,
  { segments, model }: Pick<MadeFacts, 'segments' | 'model'>,
): Promise<void> {
  const kept = [...segments, ...(await paidSegments(ports, scope, model))];
  if (kept.length === 0 && scope.record.generatedAt === null) return;
  await ports.store.segments.keepOnly(scope.record, kept);
}

/** What another model stood in for is not finished: what is there of it would be paid again. */
async function paidSegments(
  ports: RefreshPorts,
  scope: BatchScope,
  madeBy: string,
): Promise<readonly string[]> {
  const planned = ports.models.byName(scope.lease.model);
  if (planned === undefined || planned.name === madeBy) return [];
  const { plan } = await planScope(ports, scope, planned);
  return plan.kind === 'Tree' ? [...plan.known.keys()] : [];
}

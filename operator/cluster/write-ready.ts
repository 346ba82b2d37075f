/**
 * Writes Ready of a MemoryTenant alone and leaves the rest of the status as it stands, also which
 * generation was carried out: what was declared since is not.
 */
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { ReconcileResult } from '../queue/reconcile-result.ts';
import type { ClusterContext } from './context.ts';
import { conditionsIn, conditionsOf, type Finding } from './conditions.ts';
import { MEMORY_TENANT } from '#crds/resource-types.ts';
import { writeStatus } from './write-status.ts';

interface Writing {
  readonly context: Pick<ClusterContext, 'statuses' | 'platform' | 'recorder'>;
  readonly signal: AbortSignal;
}

export async function writeReady(
  object: KubernetesObject,
  finding: Finding,
  { context, signal }: Writing,
): Promise<ReconcileResult> {
  const { statuses, platform, recorder } = context;
  const before = conditionsIn(object);
  const generation = object.metadata.generation ?? 0;
  const at = { generation, now: platform.clock() };
  const conditions = [
    ...conditionsOf({ Ready: finding }, before, at),
    ...before.filter(({ type: name }) => name !== 'Ready'),
  ];
  const old = object['status'];
  const rest = typeof old === 'object' && old !== null ? old : {};
  const status = { ...rest, conditions };
  return writeStatus({ type: MEMORY_TENANT, object, status, signal }, { statuses, recorder });
}

/** Writes Ready of a MemoryTenant alone; see `writeConditions`. */
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import { MEMORY_TENANT } from '#crds/resource-types.ts';
import type { ReconcileResult } from '../queue/reconcile-result.ts';
import type { ConditionState } from '../tenant/conditions.ts';
import { writeConditions, type Writing } from './write-conditions.ts';

export async function writeReady(
  object: KubernetesObject,
  finding: ConditionState,
  writing: Writing,
): Promise<ReconcileResult> {
  return writeConditions({ type: MEMORY_TENANT, object, findings: { Ready: finding } }, writing);
}

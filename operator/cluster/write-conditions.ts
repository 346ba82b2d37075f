/**
 * Writes some conditions alone and leaves the rest of the status as it stands, also which
 * generation was carried out: what was declared since is not.
 */
import type { KubernetesObject, ResourceType } from '#core/ports/kubernetes-api.ts';
import type { ReconcileResult } from '../queue/reconcile-result.ts';
import type { ClusterContext } from './context.ts';
import { conditionsIn, conditionsOf, type ConditionState } from '../tenant/conditions.ts';
import { writeStatus } from './write-status.ts';

export interface ConditionsWrite {
  readonly type: ResourceType;
  readonly object: KubernetesObject;
  readonly findings: Readonly<Record<string, ConditionState>>;
}

export interface Writing {
  readonly context: Pick<ClusterContext, 'statuses' | 'platform' | 'recorder'>;
  readonly signal: AbortSignal;
}

export async function writeConditions(
  { type, object, findings }: ConditionsWrite,
  { context, signal }: Writing,
): Promise<ReconcileResult> {
  const { statuses, platform, recorder } = context;
  const before = conditionsIn(object);
  const generation = object.metadata.generation ?? 0;
  const at = { generation, now: platform.clock() };
  const conditions = [
    ...conditionsOf(findings, before, at),
    ...before.filter((condition) => !Object.hasOwn(findings, condition.type)),
  ];
  const old = object['status'];
  const rest = typeof old === 'object' && old !== null ? old : {};
  const status = { ...rest, conditions };
  return writeStatus({ type, object, status, signal }, { statuses, recorder });
}

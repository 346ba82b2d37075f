/** The status of a DeepDream: pure. Dreams themselves are not there yet, and say so. */
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { DeepDream } from '#crds/deep-dream.ts';
import type { DeepDreamStatus } from '#crds/status.ts';
import { conditionsOf, firstUnmet, found, type Finding } from './conditions.ts';
import { placeOf } from './key.ts';
import { isDeleting } from './marks.ts';
import type { Reading } from '#crds/read-object.ts';
import type { StatusMoment } from './tenant-status.ts';

export interface DreamObservation {
  readonly object: KubernetesObject;
  readonly reading: Reading<DeepDream>;
  /** The MemoryTenant that it names. */
  readonly tenant: KubernetesObject | null;
}

export function dreamStatus(
  seen: DreamObservation,
  { generation, now, before }: StatusMoment,
): DeepDreamStatus & { readonly conditions: NonNullable<DeepDreamStatus['conditions']> } {
  const Accepted = accepted(seen);
  const Ready = firstUnmet([Accepted], NOT_AVAILABLE);
  return {
    observedGeneration: generation,
    conditions: conditionsOf({ Ready, Accepted }, before, { generation, now }),
  };
}

const NOT_AVAILABLE: Finding = found(
  'False',
  'DreamsNotAvailable',
  'This version keeps the resource and dreams nothing; a later one will.',
);

function accepted({ object, reading, tenant }: DreamObservation): Finding {
  const { namespace, name } = placeOf(object);
  if (reading.kind === 'Invalid') {
    const edit = `kubectl edit deepdream ${name} -n ${namespace}`;
    return found('False', 'InvalidSpec', `${reading.report} Mend it with: ${edit}`);
  }
  if (tenant !== null && !isDeleting(tenant.metadata)) {
    return found('True', 'Accepted', 'The resource is valid.');
  }
  const tenantName = reading.resource.spec.tenantRef.name;
  const list = `kubectl get memorytenants -n ${namespace}`;
  const message = `There is no MemoryTenant ${tenantName} in the namespace. See: ${list}`;
  return found('False', 'TenantNotFound', message);
}

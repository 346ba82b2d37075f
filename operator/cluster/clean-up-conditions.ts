/** What Ready says of a tenant that is going, or whose store does not answer: pure. */
import type { VarveError } from '#core/errors.ts';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import { found, type ConditionState } from '../tenant/conditions.ts';
import { placeOf } from '../tenant/resource-key.ts';
import { FORCE_RELEASE_ANNOTATION, isDeleting, PAUSED_ANNOTATION } from '../tenant/annotations.ts';

/**
 * Whether the store failed: whatever is not of the API server, which reports its status, and is not
 * the end of this process or of its term.
 */
export function isOfStore({ code, details }: VarveError): boolean {
  return code !== 'CANCELLED' && !Object.hasOwn(details, 'httpStatus');
}

/** A failure that does not pass by itself is said with its code, since somebody has to act. */
export function outageCondition(
  object: KubernetesObject,
  { code, retryable }: Pick<VarveError, 'code' | 'retryable'>,
): ConditionState {
  const what = retryable ? 'The store does not answer' : `The store refuses its work (${code})`;
  if (!isDeleting(object.metadata)) {
    const message =
      `${what}, so nothing is applied; the last applied policy stays in force. ` +
      'It is tried again by itself. See why with: varve doctor';
    return found('False', 'StoreUnavailable', message);
  }
  const message =
    `${what}, so the tenant can not be let go of yet. It is tried again by ` +
    'itself. Where the store is gone for good, let the resource go without clean-up: ' +
    forceRelease(object);
  return found('False', 'CleanupBlocked', message);
}

export function erasingCondition(deleted: number): ConditionState {
  const message = `Everything of the tenant is being deleted; ${String(deleted)} records so far.`;
  return found('False', 'Erasing', message);
}

export function underWayCondition(): ConditionState {
  const message =
    'Everything of the tenant was deleted. The operator waits for what was under way, which may ' +
    'take some minutes, and deletes what that leaves.';
  return found('False', 'Erasing', message);
}

export function pausedDeletionCondition(object: KubernetesObject): ConditionState {
  const { namespace, name } = placeOf(object);
  const command = `kubectl annotate memorytenant ${name} -n ${namespace} ${PAUSED_ANNOTATION}-`;
  const message = `The deletion waits, since the resource is paused. Resume with: ${command}`;
  return found('False', 'Paused', message);
}

/** How to let a resource go without its store. */
function forceRelease(object: KubernetesObject): string {
  const { namespace, name } = placeOf(object);
  const annotation = `${FORCE_RELEASE_ANNOTATION}=true`;
  return `kubectl annotate memorytenant ${name} -n ${namespace} ${annotation}`;
}

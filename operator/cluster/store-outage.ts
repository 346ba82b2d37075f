/**
 * What resources say while the store is away, whose own record or whose tenant can't be read: pure.
 * Of a tenant that goes, or is held up by its store, see `outageCondition`.
 */
import { VarveError } from '#core/errors.ts';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import { isOfStore } from './clean-up-conditions.ts';
import { conditionsIn, found, type ConditionState } from '../tenant/conditions.ts';
import { placeOf } from '../tenant/resource-key.ts';

/** Failures in a row that are tried again at once and not talked about. */
const QUIET_ATTEMPTS_MAX = 3;
export const STORE_UNAVAILABLE = 'StoreUnavailable';

/** Whether a failure is the store's and lasts, so that somebody has to hear of it. */
export function isLastingOutage(error: unknown, attempt: number): error is VarveError {
  return error instanceof VarveError && isOfStore(error) && attempt > QUIET_ATTEMPTS_MAX;
}

/** Of a ModelProvider. */
export function providerOutage({ code, retryable }: VarveError): ConditionState {
  const what = retryable ? 'The store does not answer' : `The store refuses its work (${code})`;
  const message =
    `${what}, so it is not known whether the provider works, and nothing is applied; what was ` +
    'last applied stays in force. It is tried again by itself. See why with: varve doctor';
  return found('Unknown', STORE_UNAVAILABLE, message);
}

/**
 * Of a resource that waits for the first look at its tenant. Null where the tenant does not say
 * that the store is away, since that look is a moment off; and where this version of the resource
 * was reported before, since what stood then may well stand.
 */
export function outageOfTenant(
  object: KubernetesObject,
  tenant: KubernetesObject,
): ConditionState | null {
  const before = readyIn(object);
  if (readyIn(tenant)?.reason !== STORE_UNAVAILABLE) return null;
  if (before !== null && before.observedGeneration === object.metadata.generation) return null;
  const { namespace, name } = placeOf(tenant);
  const message =
    `MemoryTenant ${name} can not be read from the store, so it is not known whether this is in ` +
    'force. It is tried again by itself. See why with: ' +
    `kubectl describe memorytenant ${name} -n ${namespace}`;
  return found('Unknown', STORE_UNAVAILABLE, message);
}

function readyIn(object: KubernetesObject) {
  return conditionsIn(object).find(({ type }) => type === 'Ready') ?? null;
}

/** What to do about a ModelProvider, and what its conditions say: pure. */
import { isErrorCode, type ErrorCode } from '#core/errors.ts';
import type { Digest } from '#core/hash.ts';
import type { ModelProvider as CompiledProvider } from '#core/records/model-provider-spec.ts';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { ModelProviderRecord } from '#core/records/model-provider.ts';
import type { Owner } from '#core/records/policy-record.ts';
import type { ModelProvider } from '#crds/model-provider.ts';
import type { ModelProviderStatus } from '#crds/status.ts';
import { compileProvider } from '../tenant/compile-policy.ts';
import { canonicalJson } from '../tenant/policy-changes.ts';
import {
  conditionsOf,
  firstUnmet,
  found,
  timeText,
  type ConditionState,
  placeOf,
  isPaused,
  PAUSED_ANNOTATION,
} from '../tenant/metadata-and-conditions.ts';
import type { Reading } from '#crds/read-object.ts';
import type { StatusMoment } from './tenant-status.ts';

export interface ProviderObservation {
  readonly object: KubernetesObject;
  readonly reading: Reading<ModelProvider>;
  readonly releaseNamespace: string;
  /** What the store has under the name. */
  readonly record: ModelProviderRecord | null;
}

export type ProviderPlan =
  | { readonly kind: 'WrongNamespace' }
  | { readonly kind: 'Invalid'; readonly report: string }
  | { readonly kind: 'Paused' }
  | { readonly kind: 'Put' | 'Keep'; readonly provider: CompiledProvider; readonly hash: string }
  /** Another installation has the name in the same store. */
  | { readonly kind: 'Claimed'; readonly owner: Owner };

export function planProvider(seen: ProviderObservation, digest: Digest): ProviderPlan {
  const { object, reading, releaseNamespace, record } = seen;
  // First of all: a resource of another namespace is no wish that anybody has to listen to.
  if (placeOf(object).namespace !== releaseNamespace) return { kind: 'WrongNamespace' };
  if (isPaused(object.metadata)) return { kind: 'Paused' };
  if (reading.kind === 'Invalid') return reading;
  const provider = compileProvider(reading.resource);
  const hash = digest(canonicalJson(provider));
  return { kind: record?.hash === hash ? 'Keep' : 'Put', provider, hash };
}

/** @param record what the store has after the plan, where it is this resource's */
export function providerStatus(
  { object, releaseNamespace }: Pick<ProviderObservation, 'object' | 'releaseNamespace'>,
  { plan, record }: { plan: ProviderPlan; record: ModelProviderRecord | null },
  { generation, now, before }: StatusMoment,
): ModelProviderStatus & { readonly conditions: NonNullable<ModelProviderStatus['conditions']> } {
  const Accepted = accepted(object, plan, releaseNamespace);
  const Ready = firstUnmet([Accepted, paused(object, plan), answering(record)], answering(record));
  const check = record?.check ?? null;
  return {
    observedGeneration: generation,
    conditions: conditionsOf({ Ready, Accepted }, before, { generation, now }),
    ...(check === null
      ? {}
      : {
          lastCheck: {
            state: check.state,
            ...(check.code === null ? {} : { code: check.code }),
            since: timeText(check.since),
          },
        }),
  };
}

/** What can be said without the store; `outage` covers the rest. */
export function providerConditionsWithoutStore(
  seen: Omit<ProviderObservation, 'record'>,
  outage: ConditionState,
  digest: Digest,
): Readonly<Record<'Ready' | 'Accepted', ConditionState>> {
  const plan = planProvider({ ...seen, record: null }, digest);
  const isRefused = plan.kind === 'WrongNamespace' || plan.kind === 'Invalid';
  const Accepted = isRefused ? accepted(seen.object, plan, seen.releaseNamespace) : outage;
  return { Ready: Accepted, Accepted };
}

function accepted(
  object: KubernetesObject,
  plan: ProviderPlan,
  releaseNamespace: string,
): ConditionState {
  const { namespace, name } = placeOf(object);
  if (plan.kind === 'WrongNamespace') {
    const message =
      `ModelProviders are heard in the namespace ${releaseNamespace} only, where the release is. ` +
      `Take it away with: kubectl delete modelprovider ${name} -n ${namespace}`;
    return found('False', 'WrongNamespace', message);
  }
  if (plan.kind === 'Invalid') {
    const edit = `kubectl edit modelprovider ${name} -n ${namespace}`;
    const message = `${plan.report} What was last applied stays in force. Fix it with: ${edit}`;
    return found('False', 'InvalidSpec', message);
  }
  if (plan.kind === 'Claimed') {
    const { cluster, namespace: others } = plan.owner;
    const message =
      `The store has a ModelProvider of the name from namespace ${others} of cluster ${cluster}; ` +
      'choose another name.';
    return found('False', 'NameClaimed', message);
  }
  return found('True', 'Accepted', `The resource is valid and in use.${unusedPart(plan)}`);
}

/** A field that has no effect yet is not passed over in silence. */
function unusedPart(plan: ProviderPlan): string {
  const isSet = 'provider' in plan && (plan.provider.openai?.embedding ?? null) !== null;
  if (!isSet) return '';
  return (
    ' spec.openai.embedding is declared only: set VARVE_EMBEDDING_URL and the settings beside ' +
    'it.'
  );
}

function paused(object: KubernetesObject, plan: ProviderPlan): ConditionState {
  if (plan.kind !== 'Paused') return found('True', 'Accepted', '');
  const { namespace, name } = placeOf(object);
  const command = `kubectl annotate modelprovider ${name} -n ${namespace} ${PAUSED_ANNOTATION}-`;
  return found('False', 'Paused', `Changes are not applied. Resume with: ${command}`);
}

const OF_KEY =
  'Check that its Secret is there, has the key that is named, and that the key is valid';
const LISTED = 'workers.models.secretNames of the chart';
const OF_ADDRESS =
  'Check its address, and that networkPolicy.models.ports of the chart has the port of it.';
/** What is at fault, by the code that a worker found. */
const REMEDIES: Readonly<Partial<Record<ErrorCode, string>>> = {
  FORBIDDEN: `Workers may not read its Secret: name the Secret in ${LISTED}.`,
  NOT_FOUND: `${OF_KEY}; and name the Secret in ${LISTED}.`,
  UNAUTHENTICATED: `${OF_KEY}; and name the Secret in ${LISTED}.`,
  TIMEOUT: OF_ADDRESS,
  PROVIDER_ERROR: OF_ADDRESS,
};

function remedyOf(code: string): string {
  return isErrorCode(code) && REMEDIES[code] !== undefined
    ? REMEDIES[code]
    : 'Check its address and its Secret.';
}

/** One that was never asked is assumed to work: the first worker that needs it finds out. */
function answering(record: ModelProviderRecord | null): ConditionState {
  const check = record?.check ?? null;
  if (check === null) {
    return found('True', 'NotAskedYet', 'No worker has asked the endpoint since the last change.');
  }
  if (check.state === 'Available') return found('True', 'Available', 'The endpoint answers.');
  const code = check.code ?? 'Unavailable';
  const message =
    `The endpoint does not answer as it should (${code}). ${remedyOf(code)} ` +
    'Workers retry automatically.';
  return found('False', 'Unavailable', message);
}

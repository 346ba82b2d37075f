/** Resources as in an API server, and observed tenants, for tables of plans. */
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { PolicyRecord } from '#core/records/policy.ts';
import {
  DEEP_DREAM,
  LAYER_SUMMARY_POLICY,
  MEMORY_TENANT,
  MODEL_PROVIDER,
} from '#crds/resource-types.ts';
import { API_VERSION } from '#crds/metadata.ts';
import { LayerSummaryPolicy } from '#crds/layer-summary-policy.ts';
import { MemoryTenant } from '#crds/memory-tenant.ts';
import { Layer } from '#core/layer.ts';
import { TENANT_FINALIZER } from '#operator/tenant/metadata-and-conditions.ts';
import {
  planTenant,
  type SeenLayerPolicy,
  type TenantObservation,
  type TenantPlan,
} from '#operator/tenant/plan-tenant.ts';
import { readObject } from '#crds/read-object.ts';
import { digest, NOW } from '../policy-store.ts';

export const CLUSTER = 'cluster-1';
export const NAMESPACE = 'team-a';
export const OWNER = { cluster: CLUSTER, namespace: NAMESPACE, name: 'acme', uid: 'uid-acme' };

/** What differs from a resource `acme` of generation 1 that was made at noon. */
export interface Written {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly createdAt?: string;
  readonly deletedAt?: string;
  readonly finalizers?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly status?: object;
}

function resource(kind: string, spec: object, written: Written): KubernetesObject {
  const { name = 'acme', namespace = NAMESPACE, uid = `uid-${name}`, status } = written;
  const { createdAt = '2026-11-21T12:00:00Z', deletedAt, annotations, finalizers } = written;
  return {
    apiVersion: API_VERSION,
    kind,
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion: '7',
      generation: 1,
      creationTimestamp: createdAt,
      ...(deletedAt === undefined ? {} : { deletionTimestamp: deletedAt }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
    },
    spec,
    ...(status === undefined ? {} : { status }),
  };
}

export function tenantObject(spec: object = {}, written: Written = {}): KubernetesObject {
  return resource(MEMORY_TENANT.kind, spec, written);
}

export function layerPolicyObject(spec: object, written: Written = {}): KubernetesObject {
  const whole = { tenantRef: { name: 'acme' }, layer: 'team', ...spec };
  return resource(LAYER_SUMMARY_POLICY.kind, whole, { name: 'acme-team', ...written });
}

export function providerObject(spec: object, written: Written = {}): KubernetesObject {
  return resource(MODEL_PROVIDER.kind, spec, { name: 'local', ...written });
}

export function dreamObject(spec: object, written: Written = {}): KubernetesObject {
  const whole = { tenantRef: { name: 'acme' }, cron: '30 3 * * *', ...spec };
  return resource(DEEP_DREAM.kind, whole, { name: 'nightly', ...written });
}

export function seenPolicy(object: KubernetesObject): SeenLayerPolicy {
  const { layer } = object['spec'] as { layer?: unknown };
  const parsed = Layer.safeParse(layer);
  return {
    object,
    reading: readObject(object, LayerSummaryPolicy),
    layer: parsed.success ? parsed.data : null,
  };
}

/** A tenant that nothing is beside and that the store does not know, but for what differs. */
export function observation(
  object: KubernetesObject,
  differing: Partial<TenantObservation> = {},
): TenantObservation {
  const { name, namespace = NAMESPACE, uid = '' } = object.metadata;
  return {
    object,
    reading: readObject(object, MemoryTenant),
    tenant: 'acme',
    owner: { cluster: CLUSTER, namespace, name, uid },
    layerPolicies: [],
    dreams: [],
    models: undefined,
    record: null,
    isOwnerGone: false,
    enforcedHash: null,
    ...differing,
  };
}

export function planOf(seen: TenantObservation): TenantPlan {
  return planTenant(seen, digest);
}

/** The record that applying a tenant leaves. */
export function recordOf(
  seen: TenantObservation,
  differing: Partial<PolicyRecord> = {},
): PolicyRecord {
  const plan = planOf(seen);
  if (plan.kind !== 'Apply') throw new Error(`The plan is ${plan.kind} and not Apply.`);
  const { tenant, owner, policy, hash } = plan;
  const times = { appliedAt: NOW, epoch: 1, releasedAt: null };
  return { tenant, owner, policy, hash, generation: 1, ...times, ...differing };
}

/** Being deleted, with the finaliser. */
export const DELETING = { deletedAt: '2026-11-22T12:00:00Z', finalizers: [TENANT_FINALIZER] };
